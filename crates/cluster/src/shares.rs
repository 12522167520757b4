//! How a number that is that of the whole job is divided among its ranks.

/// The part of each rank in what all of them have together: the cores of its host, divided among the ranks there.
#[derive(Clone, Debug)]
pub struct Shares {
    weights: Vec<f64>,
}

impl Shares {
    /// Equal parts.
    pub fn equal(ranks: usize) -> Shares {
        Shares { weights: vec![1.0; ranks] }
    }

    /// Parts by the cores that each rank may use and the name of its host; a rank that has not told counts as one core.
    pub fn new(ranks: &[Option<(u32, &str)>]) -> Shares {
        let on_host = |host: &str| ranks.iter().flatten().filter(|(_, other)| *other == host).count();
        let weight =
            |rank: &Option<(u32, &str)>| rank.map_or(1.0, |(cores, host)| f64::from(cores) / on_host(host) as f64);
        Shares { weights: ranks.iter().map(weight).collect() }
    }

    /// Every rank gets at least one, and together they get all of it, if it is enough.
    pub fn divide(&self, total: u64) -> Vec<u64> {
        let sum: f64 = self.weights.iter().sum();
        let mut given = 0;
        let mut upto = 0.0;
        let share = |weight: &f64| {
            upto += weight;
            let target = (total as f64 * upto / sum).round() as u64;
            let share = target.saturating_sub(given).max(1);
            given += share;
            share
        };
        self.weights.iter().map(share).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_divided_and_every_rank_gets_something() {
        let shares = |weights: &[f64]| Shares { weights: weights.to_vec() };
        assert_eq!(shares(&[2.0, 2.0, 4.0]).divide(64), [16, 16, 32]);
        assert_eq!(shares(&[1.0; 3]).divide(7).iter().sum::<u64>(), 7);
        assert_eq!(Shares::equal(4).divide(1), [1; 4]);
    }

    #[test]
    fn ranks_of_one_host_share_its_cores() {
        let shares = Shares::new(&[Some((8, "a")), Some((8, "a")), Some((4, "b")), None]);
        assert_eq!(shares.divide(130), [40, 40, 40, 10]);
    }
}
