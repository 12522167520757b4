//! Perfetto's format: a protobuf message `Trace`, written packet by packet. Only the messages and fields below are used; their
//! numbers are those of `protos/perfetto/trace/perfetto_trace.proto` in github.com/google/perfetto (version 59).
//!
//! | message | fields |
//! |---|---|
//! | `Trace` | packet 1 |
//! | `TracePacket` | timestamp 8, trusted_packet_sequence_id 10, track_event 11, sequence_flags 13, track_descriptor 60 |
//! | `TrackDescriptor` | uuid 1, name 2, process 3, parent_uuid 5, child_ordering 11, sibling_order_rank 12 |
//! | `ProcessDescriptor` | pid 1, process_name 6 |
//! | `TrackEvent` | debug_annotations 4, type 9, track_uuid 11, name 23, flow_ids 47, terminating_flow_ids 48 |
//! | `DebugAnnotation` | string_value 6, name 10 |

use super::format::{Arrow, Details, Format, Mark, TrackSlice};
use std::io::{self, Write};

/// Writes Perfetto's format.
pub(super) struct Perfetto;

/// `TrackEvent.Type.TYPE_SLICE_BEGIN`
const BEGIN: u64 = 1;
/// `TrackEvent.Type.TYPE_SLICE_END`
const END: u64 = 2;
/// `TrackEvent.Type.TYPE_INSTANT`
const INSTANT: u64 = 3;
/// The track of the process; those of the processors follow.
const PROCESS: u64 = 1;
/// `TrackDescriptor.ChildTracksOrdering.EXPLICIT`
const EXPLICIT: u64 = 3;
/// `TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED`
const CLEARED: u64 = 1;
/// All packets are of one sequence; zero is not allowed.
const SEQUENCE: u64 = 1;

/// A protobuf message in its binary form (protobuf.dev/programming-guides/encoding).
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    /// A number: wire type 0.
    fn number(mut self, field: u64, value: u64) -> Message {
        self.varint(field << 3);
        self.varint(value);
        self
    }

    /// A number of eight bytes: wire type 1.
    fn fixed(mut self, field: u64, value: u64) -> Message {
        self.varint(field << 3 | 1);
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    /// A text: wire type 2.
    fn text(self, field: u64, text: &str) -> Message {
        self.bytes(field, text.as_bytes())
    }

    /// A message inside this one: wire type 2.
    fn message(self, field: u64, message: &Message) -> Message {
        self.bytes(field, &message.0)
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Message {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Writes this message as the next packet of the trace.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&Message::default().message(1, self).0)
    }
}

fn track(index: usize) -> u64 {
    PROCESS + 1 + index as u64
}

fn packet(time: u64, event: &Message) -> Message {
    Message::default().number(8, time).number(10, SEQUENCE).message(11, event)
}

fn event(kind: u64, index: usize) -> Message {
    Message::default().number(9, kind).number(11, track(index))
}

fn with_details(event: Message, details: &Details) -> Message {
    details
        .iter()
        .fold(event, |event, (name, value)| event.message(4, &Message::default().text(10, name).text(6, value)))
}

impl Format for Perfetto {
    fn begin(&self, out: &mut dyn Write) -> io::Result<()> {
        let process = Message::default().number(1, 1).text(6, "jamboree");
        let process = Message::default().number(1, PROCESS).message(3, &process).number(11, EXPLICIT);
        Message::default().number(10, SEQUENCE).number(13, CLEARED).message(60, &process).write(out)
    }

    fn track(&self, out: &mut dyn Write, index: usize, name: &str) -> io::Result<()> {
        let place = Message::default().number(1, track(index)).text(2, name).number(5, PROCESS);
        Message::default().number(10, SEQUENCE).message(60, &place.number(12, index as u64)).write(out)
    }

    fn slice(&self, out: &mut dyn Write, slice: &TrackSlice<'_>) -> io::Result<()> {
        let begin = with_details(event(BEGIN, slice.track).text(23, slice.name), &slice.details);
        packet(slice.from, &begin).write(out)?;
        packet(slice.to, &event(END, slice.track)).write(out)
    }

    fn mark(&self, out: &mut dyn Write, mark: &Mark<'_>) -> io::Result<()> {
        let event = with_details(event(INSTANT, mark.track).text(23, mark.name), &mark.details);
        // The number of an arrow must not be zero.
        let event = match mark.arrow {
            Some(Arrow::Begins(id)) => event.fixed(47, id + 1),
            Some(Arrow::Ends(id)) => event.fixed(48, id + 1),
            None => event,
        };
        packet(mark.time, &event).write(out)
    }

    fn end(&self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A track event, as read back.
    pub(in crate::trace_file) struct Event {
        pub(in crate::trace_file) kind: u64,
        pub(in crate::trace_file) track: u64,
        pub(in crate::trace_file) name: String,
        pub(in crate::trace_file) time: u64,
    }

    fn varint(bytes: &mut &[u8]) -> u64 {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = bytes[0];
            *bytes = &bytes[1..];
            value |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return value;
            }
        }
    }

    /// The fields of a message: numbers, and what is not a number.
    fn fields(mut bytes: &[u8]) -> Vec<(u64, u64, &[u8])> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            let length = match key & 7 {
                0 => {
                    fields.push((key >> 3, varint(&mut bytes), &[][..]));
                    continue;
                }
                1 => 8,
                2 => varint(&mut bytes) as usize,
                other => panic!("wire type {other}"),
            };
            fields.push((key >> 3, 0, &bytes[..length]));
            bytes = &bytes[length..];
        }
        fields
    }

    /// The track events of a file.
    pub(in crate::trace_file) fn events(bytes: &[u8]) -> Vec<Event> {
        let mut events = Vec::new();
        for (field, _, packet) in fields(bytes) {
            assert_eq!(field, 1);
            let packet = fields(packet);
            let find = |number| packet.iter().find(|(field, ..)| *field == number);
            let (Some(&(_, time, _)), Some(&(.., event))) = (find(8), find(11)) else { continue };
            let event = fields(event);
            let find = |number| event.iter().find(|(field, ..)| *field == number);
            let name = find(23).map_or_else(String::new, |(.., name)| String::from_utf8(name.to_vec()).unwrap());
            events.push(Event { kind: find(9).unwrap().1, track: find(11).unwrap().1, name, time });
        }
        events
    }

    #[test]
    fn numbers_are_written_as_protobuf_wants_them() {
        let message = Message::default().number(1, 150).text(2, "testing").fixed(3, 1);
        assert_eq!(message.0, b"\x08\x96\x01\x12\x07testing\x19\x01\0\0\0\0\0\0\0");
    }
}
