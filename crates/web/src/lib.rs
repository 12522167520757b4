//! The page of Jamboree: play, analyse, watch a parallel search.
//!
//! [`serve`] is a web server whose assets are inside the program. The page and the server talk over one WebSocket; the messages
//! are in `message`. The server keeps no game: every request carries its start and its moves, so a page that is loaded again
//! goes on where it was. The server knows no search, only the engine's commands and events.
//!
//! | file | about |
//! |---|---|
//! | `server` | addresses, assets, headers, who may connect |
//! | `shared` | how to serve, and what all connections share |
//! | `session` | one WebSocket: requests in, answers out |
//! | `message` | what the two say to each other |
//! | `at_once` | what is answered without an engine |
//! | `position` | a game as the page shows it: legal moves, notation, how it ended |
//! | `lookup` | answers of the opening book and of the endgame tables |
//! | `lichess` | this engine as an external engine of Lichess |
//! | `progress` | what the engine tells, as the page reads it |
//! | `pgn` | games as text |
//! | `experiments` | experiments of the lab, started from the page |
//! | `results` | which results there are, and their files |
//! | `watch` | a search on virtual processors or threads with a record of what each did when |
//! | `trace_rows` | that record as the page reads it |

mod at_once;
mod experiments;
mod lichess;
mod lookup;
mod message;
mod pgn;
mod position;
mod progress;
mod results;
mod server;
mod session;
mod shared;
mod trace_rows;
mod watch;

pub use at_once::answer_at_once;
pub use lichess::Lichess;
pub use lookup::Lookup;
pub use server::serve;
pub use shared::Settings;
