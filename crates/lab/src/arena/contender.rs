//! Who plays: a UCI program, or an engine on virtual processors.

use super::player::{EngineProcess, Trouble};
use super::spec::Spec;
use super::virtual_player::{VirtualPlayer, VirtualSpec};
use serde::Serialize;
use std::time::Duration;

/// One of the two engines of a match.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Contender {
    /// A UCI program.
    Program(Spec),
    /// An engine of this process, on virtual processors.
    Virtual(VirtualSpec),
}

impl Contender {
    /// Its name in reports and games.
    pub fn name(&self) -> &str {
        match self {
            Contender::Program(spec) => &spec.name,
            Contender::Virtual(spec) => &spec.name,
        }
    }

    /// Its name and what else decides how it plays.
    pub(super) fn described(&self) -> String {
        match self {
            Contender::Program(spec) => {
                let wishes: Vec<String> = spec.wishes.iter().map(|(name, value)| format!("{name} {value}")).collect();
                if wishes.is_empty() { spec.name.clone() } else { format!("{}; {}", spec.name, wishes.join(", ")) }
            }
            Contender::Virtual(spec) => {
                let VirtualSpec { name, processors, ticks, profile, rules, hash, seed, .. } = spec;
                format!(
                    "{name}; {processors} processors, {ticks} ticks, profile {profile}, rules {rules}, Hash {hash}, seed {seed}"
                )
            }
        }
    }

    /// Starts it. A program is given up if it does not answer within `patience`.
    pub(super) fn start(&self, patience: Duration) -> Result<Player, Trouble> {
        Ok(match self {
            Contender::Program(spec) => Player::Program(EngineProcess::start(spec, patience)?),
            Contender::Virtual(spec) => Player::Virtual(Box::new(VirtualPlayer::start(spec)?)),
        })
    }
}

/// An engine at the board.
pub(super) enum Player {
    /// A UCI program.
    Program(EngineProcess),
    /// An engine of this process.
    Virtual(Box<VirtualPlayer>),
}

impl Player {
    /// Prepares it for another game.
    pub(super) fn new_game(&mut self, chess960: bool) -> Result<(), Trouble> {
        match self {
            Player::Program(process) => process.new_game(chess960),
            Player::Virtual(player) => player.new_game(chess960),
        }
    }
}
