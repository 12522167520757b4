//! Which processors of each host have a strand, so that an idle one finds them at once.

/// The busy processors, host by host.
pub(super) struct BusyList {
    hosts: Vec<Vec<usize>>,
    /// Where a processor is in its host's list.
    places: Vec<usize>,
    /// How many processors a host has.
    each: usize,
}

impl BusyList {
    pub(super) fn new(processors: usize, each: usize) -> BusyList {
        BusyList { hosts: vec![Vec::new(); processors.div_ceil(each)], places: vec![0; processors], each }
    }

    /// Those of a host.
    pub(super) fn of(&self, host: usize) -> &[usize] {
        &self.hosts[host]
    }

    /// One of those of a host.
    pub(super) fn draw(&self, host: usize, random: u64) -> Option<usize> {
        let busy = self.hosts.get(host).filter(|busy| !busy.is_empty())?;
        Some(busy[random as usize % busy.len()])
    }

    pub(super) fn add(&mut self, processor: usize) {
        let host = &mut self.hosts[processor / self.each];
        self.places[processor] = host.len();
        host.push(processor);
    }

    pub(super) fn remove(&mut self, processor: usize) {
        let place = self.places[processor];
        let host = &mut self.hosts[processor / self.each];
        host.swap_remove(place);
        if let Some(&moved) = host.get(place) {
            self.places[moved] = place;
        }
    }
}
