//! A rank watches the others during a search: do they answer, do they return their tasks, and do they send only what they may?

use super::{Bridge, SearchPump};
use crate::members::Contact;
use crate::message::Message;
use crate::note::RankNote;
use std::time::Instant;

impl SearchPump<'_> {
    /// Pings ranks that have been silent, and gives up those that do not answer. The first rank watches all others,
    /// another rank only those that have its tasks.
    pub(super) fn watch_ranks(&mut self, bridge: Bridge<'_>) {
        for rank in self.rank.link.others() {
            let has_tasks = self.given.holders().any(|holder| holder == rank);
            if !self.leads() && !has_tasks {
                continue;
            }
            let contact = self.rank.members.contact(rank);
            if contact == Contact::Ping {
                self.rank.link.send(rank, &Message::Ping);
            }
            if contact == Contact::Silent || self.rank.link.is_broken(rank) {
                self.rank.lose(rank);
                for helper in self.given.held_by(rank, Instant::now()) {
                    self.rank.link.traffic.tasks.lost += 1;
                    self.recover(bridge, helper);
                }
            }
        }
    }

    /// Takes tasks back if no processor here has had anything else to do for a while: all tasks of the rank that has
    /// the oldest one. An honest rank gives away parts of our tasks when we ask for work, so we wait that long only for
    /// a rank that has forgotten its task, or for a message that was lost.
    pub(super) fn watch_tasks(&mut self, bridge: Bridge<'_>) {
        if bridge.idle() < self.threads || bridge.remote_tasks()[0] > 0 {
            self.idle_since = None;
            return;
        }
        let limit = self.rank.take_back_after;
        let since = *self.idle_since.get_or_insert_with(Instant::now);
        if since.elapsed() < limit {
            return;
        }
        let Some(rank) = self.given.slowest_rank() else { return };
        self.idle_since = None;
        let search = self.rank.search;
        // No task has been given since: processors without work give none away.
        for helper in self.given.held_by(rank, since) {
            if let Some((_, id)) = self.given.task(helper) {
                self.rank.link.send(rank, &Message::Cutoff { search, id });
                self.rank.link.traffic.tasks.taken_back += 1;
                self.recover(bridge, helper);
            }
        }
        if self.rank.members.bar(rank) {
            self.rank.lose(rank);
        }
    }

    /// Tells the user, once for each rank, that it sends messages that it may not send.
    pub(super) fn reproach(&mut self) {
        for rank in self.rank.link.others() {
            let refused = self.rank.link.refused(rank);
            if refused == 0 || !self.rank.members.reproach(rank) {
                continue;
            }
            let text = format!("refused {refused} messages that rank {rank} may not send");
            if self.leads() {
                self.rank.note(RankNote::Own(text));
            } else {
                self.rank.link.send(0, &Message::Note { text });
            }
        }
    }
}
