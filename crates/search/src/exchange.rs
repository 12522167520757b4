//! What processors that learn for themselves tell each other (Zugzwang section 5).

/// What processors that learn for themselves tell each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// A history that has grown by some amount is told to the neighbours, which take the larger of it and their own.
    pub histories: bool,
    /// A move that has become a killer is told to the neighbours.
    pub killers: bool,
}

/// The neighbours of a processor in a De Bruijn network: it has links to `2x` and `2x + 1`, modulo the number of processors,
/// and from those of which it is the double.
pub fn neighbours(processor: usize, processors: usize) -> impl Iterator<Item = usize> {
    let double = 2 * processor;
    let links = [double % processors, (double + 1) % processors, processor / 2, (processor + processors) / 2];
    (0..links.len())
        .filter(move |&place| links[place] != processor && !links[..place].contains(&links[place]))
        .map(move |place| links[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_work_both_ways_and_lead_everywhere() {
        for processors in [1, 2, 4, 8, 16, 64, 128] {
            let mut reached = vec![0];
            for place in 0.. {
                let Some(&processor) = reached.get(place) else { break };
                let all: Vec<_> = neighbours(processor, processors).collect();
                assert!(all.len() <= 4 && !all.contains(&processor));
                for &other in &all {
                    assert!(neighbours(other, processors).any(|back| back == processor), "{processor} and {other}");
                }
                reached.extend(all.into_iter().filter(|other| !reached.contains(other)).collect::<Vec<_>>());
            }
            assert_eq!(reached.len(), processors);
        }
    }
}
