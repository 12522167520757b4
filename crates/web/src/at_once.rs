//! What is answered at once, without an engine and without files: what the board looks like, and games as text.

use crate::message::{Answer, Numbered, Reply, Request};
use crate::pgn;
use crate::position::Line;

/// The answer to a message of a page; none if an engine or a file is needed for it.
pub fn answer_at_once(text: &str) -> Option<String> {
    let answer = match read(text) {
        Ok(Numbered { id, request }) => {
            let reply = answer(&request).transpose()?;
            Answer { id: Some(id), reply: reply.unwrap_or_else(Reply::error) }
        }
        Err(refusal) => Answer { id: None, reply: Reply::error(refusal) },
    };
    Some(answer.to_text())
}

/// The request in a message of a page.
///
/// # Errors
/// If there is none: one line for the user.
pub(crate) fn read(text: &str) -> Result<Numbered, String> {
    serde_json::from_str(text).map_err(|error| format!("the message is refused: {error}"))
}

/// The answer; none if an engine or a file is needed for it.
///
/// # Errors
/// If the request can't be carried out: one line for the user.
pub(crate) fn answer(request: &Request) -> Result<Option<Reply>, String> {
    Ok(Some(match request {
        Request::Position { game } => Reply::Position(Line::of(game)?.shown()),
        Request::ReadPgn { text } => Reply::Game(pgn::read(text)?),
        Request::WritePgn { game, tags } => Reply::Pgn { text: pgn::write(game, tags)? },
        _ => return Ok(None),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_an_engine_waits_for_one() {
        let answered = |text: &str| answer_at_once(text).unwrap();
        assert!(answered(r#"{"id":7,"type":"position","moves":["e2e4"]}"#).starts_with(r#"{"id":7,"type":"position""#));
        assert!(answered(r#"{"id":7,"type":"position","moves":["e2e5"]}"#).contains(r#""type":"error""#));
        assert!(answered("nonsense").contains("the message is refused"));
        assert_eq!(answer_at_once(r#"{"id":7,"type":"play","moves":[]}"#), None);
    }
}
