//! The settings of an engine that analyses or solves positions one after another.

use chess::RuleSet;
use engine::tablebase::Tablebases;
use engine::{EngineCore, OptionError};
use std::fmt;
use std::sync::Arc;
use table::TableError;

/// What an engine is made of.
#[derive(Clone)]
pub struct EngineSettings {
    /// The size of the table in MiB.
    pub hash_mib: usize,
    /// The number of threads of a search.
    pub threads: usize,
    /// The endgame tables that the search asks.
    pub tables: Option<Arc<Tablebases>>,
    /// Which rules are on.
    pub profile: RuleSet,
}

/// Why there is no engine with these settings.
#[derive(Debug)]
pub enum SettingsError {
    /// There is no memory for the table.
    Table(TableError),
    /// The engine refuses one of the options.
    Option(OptionError),
}

impl fmt::Display for SettingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SettingsError::Table(error) => write!(f, "{error}"),
            SettingsError::Option(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for SettingsError {}

impl EngineSettings {
    /// One thread, no endgame tables and the usual rules.
    pub fn with_hash(hash_mib: usize) -> EngineSettings {
        EngineSettings { hash_mib, threads: 1, tables: None, profile: RuleSet::default() }
    }

    /// An engine that uses all its time: its move overhead is zero.
    ///
    /// # Errors
    /// If there is no memory for the table, or the engine refuses the number of threads.
    pub fn engine(&self) -> Result<EngineCore, SettingsError> {
        let mut engine = EngineCore::with(self.profile.clone(), self.hash_mib).map_err(SettingsError::Table)?;
        for (name, value) in [("Move Overhead", 0), ("Threads", self.threads)] {
            engine.set_option(name, Some(&value.to_string())).map_err(SettingsError::Option)?;
        }
        engine.use_tablebases(self.tables.clone());
        Ok(engine)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chess::Position;
    use engine::{GoLimits, SearchRequest, Signals};

    #[test]
    fn an_engine_has_the_settings() {
        let mut engine = EngineSettings { threads: 3, ..EngineSettings::with_hash(2) }.engine().unwrap();
        let options = engine.options();
        assert_eq!((options.hash_mib, options.overhead.as_millis()), (2, 0));
        let request = SearchRequest::new(Position::default(), GoLimits { depth: Some(2), ..GoLimits::default() });
        let answer = engine.search(&request, &Signals::new(), &mut |_| {});
        assert_eq!(answer.accounts.processors.len(), 3, "an account for each thread");
    }

    #[test]
    fn too_many_threads_are_refused_in_one_line() {
        let refused = EngineSettings { threads: 1_000_000, ..EngineSettings::with_hash(1) }.engine();
        let message = refused.map(|_| ()).expect_err("refused").to_string();
        assert!(message.contains("Threads") && !message.contains('\n'), "{message}");
    }
}
