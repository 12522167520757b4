//! The options of an engine on the command line.

use crate::{Failure, threads};
use chess::RuleSet;
use clap::Args;
use engine::tablebase::Tablebases;
use lab::engine_settings::EngineSettings;
use std::sync::Arc;

/// Options of the engine.
#[derive(Args)]
pub(crate) struct EngineArguments {
    /// Threads of each search
    #[arg(long, value_name = "NUMBER", default_value_t = 1, value_parser = threads::parse)]
    pub(crate) threads: usize,
    /// Size of the transposition table in MiB
    #[arg(long, value_name = "MIB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) hash: u32,
    /// Folders of Syzygy endgame tables, with ':' between them
    #[arg(long, value_name = "FOLDERS")]
    pub(crate) syzygy: Option<String>,
    /// Search full width with quiescence, as in the papers
    #[arg(long)]
    pub(crate) classic: bool,
    /// Rules to switch on or off and numbers to set, for example `modern,-null_move,see_depth=7`
    #[arg(long, conflicts_with = "classic", allow_hyphen_values = true)]
    pub(crate) rules: Option<String>,
}

impl EngineArguments {
    /// The settings they stand for.
    ///
    /// # Errors
    /// If the rules can't be read, or the folders hold no endgame tables.
    pub(crate) fn settings(&self) -> Result<EngineSettings, Failure> {
        let tables = self.syzygy.as_deref().map(Tablebases::open).transpose()?;
        Ok(EngineSettings {
            hash_mib: self.hash as usize,
            threads: self.threads,
            tables: tables.map(Arc::new),
            profile: self.profile()?,
        })
    }

    fn profile(&self) -> Result<RuleSet, String> {
        match &self.rules {
            Some(rules) => RuleSet::parse(rules),
            None if self.classic => Ok(RuleSet::classic()),
            None => Ok(RuleSet::modern()),
        }
    }
}
