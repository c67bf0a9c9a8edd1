package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ClusterView.Conflict;
import dev.komainu.telemetry.record.ClusterView.Count;
import dev.komainu.telemetry.record.ClusterView.Event;
import dev.komainu.telemetry.record.ClusterView.Line;
import dev.komainu.telemetry.record.ClusterView.Member;
import dev.komainu.telemetry.record.ClusterView.Route;
import dev.komainu.telemetry.record.ClusterView.Server;
import java.io.IOException;
import java.util.List;

/** Wire fields of an organizer's view of its cluster. */
final class ClusterFields {

    private ClusterFields() {}

    static void write(ClusterView it, FieldWriter out) throws IOException {
        out.text(1, it.cluster());
        out.text(2, it.member());
        out.text(3, it.node());
        out.int64(4, it.startedMicros());
        out.int64(5, it.atMicros());
        out.int32(6, it.group());
        out.text(7, it.digest());
        out.messages(8, it.members(), ClusterFields::writeMember);
        out.messages(9, it.routes(), ClusterFields::writeRoute);
        out.messages(10, it.conflicts(), ClusterFields::writeConflict);
        out.messages(11, it.lines(), ClusterFields::writeLine);
        out.messages(12, it.servers(), ClusterFields::writeServer);
        out.messages(13, it.counts(), ClusterFields::writeCount);
        out.messages(14, it.events(), ClusterFields::writeEvent);
    }

    static ClusterView read(FieldReader in) throws MalformedBatchException {
        String[] texts = {"", "", "", "", "", "", "", ""};
        long started = 0;
        long at = 0;
        int group = 0;
        List<Member> members = FieldReader.list();
        List<Route> routes = FieldReader.list();
        List<Conflict> conflicts = FieldReader.list();
        List<Line> lines = FieldReader.list();
        List<Server> servers = FieldReader.list();
        List<Count> counts = FieldReader.list();
        List<Event> events = FieldReader.list();
        while (in.next()) {
            switch (in.field()) {
                case 1, 2, 3, 7 -> texts[in.field()] = in.text();
                case 4 -> started = in.int64();
                case 5 -> at = in.int64();
                case 6 -> group = in.int32();
                case 8 -> in.messages("member", members, ClusterFields::readMember);
                case 9 -> in.messages("route", routes, ClusterFields::readRoute);
                case 10 -> in.messages("conflict", conflicts, ClusterFields::readConflict);
                case 11 -> in.messages("line", lines, ClusterFields::readLine);
                case 12 -> in.messages("server", servers, ClusterFields::readServer);
                case 13 -> in.messages("count", counts, ClusterFields::readCount);
                case 14 -> in.messages("event", events, ClusterFields::readEvent);
                default -> in.skip();
            }
        }
        return new ClusterView(
                texts[1], texts[2], texts[3], started, at, group, texts[7], members, routes,
                conflicts, lines, servers, counts, events);
    }

    private static void writeMember(Member it, FieldWriter out) throws IOException {
        out.text(1, it.name());
        out.text(2, it.line());
        out.int64(3, it.startedMicros());
        out.int32(4, it.coordinator() ? 1 : 0);
        out.int32(5, it.draining() ? 1 : 0);
        out.int32(6, it.flapping() ? 1 : 0);
        out.text(7, it.state());
        out.text(8, it.reach());
        out.int64(9, it.delayMicros());
        out.int64(10, it.inFlight());
        out.int64(11, it.serviceMicros());
        out.int64(12, it.served());
        out.int64(13, it.faults());
    }

    private static Member readMember(FieldReader in) throws MalformedBatchException {
        String name = "";
        String line = "";
        String state = "";
        String reach = "";
        long[] of = new long[14];
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> line = in.text();
                case 7 -> state = in.text();
                case 8 -> reach = in.text();
                case 3, 4, 5, 6, 9, 10, 11, 12, 13 -> of[in.field()] = in.int64();
                default -> in.skip();
            }
        }
        return new Member(
                name,
                line,
                of[3],
                of[4] != 0,
                of[5] != 0,
                of[6] != 0,
                state,
                reach,
                of[9],
                of[10],
                of[11],
                of[12],
                of[13]);
    }

    private static void writeRoute(Route it, FieldWriter out) throws IOException {
        out.text(1, it.prefix());
        out.text(2, it.member());
        out.int32(3, it.weight());
        out.int32(4, it.capacity());
        out.int32(5, it.cache() ? 1 : 0);
        out.text(6, it.content());
    }

    private static Route readRoute(FieldReader in) throws MalformedBatchException {
        String prefix = "";
        String member = "";
        String content = "";
        int[] of = new int[6];
        while (in.next()) {
            switch (in.field()) {
                case 1 -> prefix = in.text();
                case 2 -> member = in.text();
                case 6 -> content = in.text();
                case 3, 4, 5 -> of[in.field()] = in.int32();
                default -> in.skip();
            }
        }
        return new Route(prefix, member, of[3], of[4], of[5] != 0, content);
    }

    private static void writeConflict(Conflict it, FieldWriter out) throws IOException {
        out.text(1, it.prefix());
        out.texts(2, it.served());
        out.texts(3, it.contested());
    }

    private static Conflict readConflict(FieldReader in) throws MalformedBatchException {
        String prefix = "";
        List<String> served = FieldReader.list();
        List<String> contested = FieldReader.list();
        while (in.next()) {
            switch (in.field()) {
                case 1 -> prefix = in.text();
                case 2 -> in.texts(served);
                case 3 -> in.texts(contested);
                default -> in.skip();
            }
        }
        return new Conflict(prefix, served, contested);
    }

    private static void writeLine(Line it, FieldWriter out) throws IOException {
        out.text(1, it.to());
        out.int32(2, it.connections());
        out.int32(3, it.streams());
        out.int32(4, it.waiting());
        out.int64(5, it.rttMicros());
        out.int64(6, it.sentBytes());
        out.int64(7, it.receivedBytes());
        out.int64(8, it.segmentBytes());
        out.int64(9, it.againBytes());
        out.int64(10, it.opened());
        out.int64(11, it.lost());
        out.text(12, it.failure());
        out.textOrAbsent(13, it.carrier());
        out.int64OrAbsent(14, it.downMicros());
    }

    private static Line readLine(FieldReader in) throws MalformedBatchException {
        String to = "";
        String failure = "";
        String carrier = null;
        Long down = null;
        int[] counts = new int[5];
        long[] of = new long[12];
        while (in.next()) {
            switch (in.field()) {
                case 1 -> to = in.text();
                case 12 -> failure = in.text();
                case 13 -> carrier = in.text();
                case 14 -> down = in.int64();
                case 2, 3, 4 -> counts[in.field()] = in.int32();
                case 5, 6, 7, 8, 9, 10, 11 -> of[in.field()] = in.int64();
                default -> in.skip();
            }
        }
        return new Line(
                to, counts[2], counts[3], counts[4], of[5], of[6], of[7], of[8], of[9], of[10],
                of[11], failure, carrier, down);
    }

    private static void writeServer(Server it, FieldWriter out) throws IOException {
        out.text(1, it.address());
        out.text(2, it.state());
    }

    private static Server readServer(FieldReader in) throws MalformedBatchException {
        String address = "";
        String state = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> address = in.text();
                case 2 -> state = in.text();
                default -> in.skip();
            }
        }
        return new Server(address, state);
    }

    private static void writeCount(Count it, FieldWriter out) throws IOException {
        out.text(1, it.name());
        out.int64(2, it.count());
    }

    private static Count readCount(FieldReader in) throws MalformedBatchException {
        String name = "";
        long count = 0;
        while (in.next()) {
            switch (in.field()) {
                case 1 -> name = in.text();
                case 2 -> count = in.int64();
                default -> in.skip();
            }
        }
        return new Count(name, count);
    }

    private static void writeEvent(Event it, FieldWriter out) throws IOException {
        out.int64(1, it.number());
        out.int64(2, it.atMicros());
        out.text(3, it.kind());
        out.textOrAbsent(4, it.member());
        out.text(5, it.text());
    }

    private static Event readEvent(FieldReader in) throws MalformedBatchException {
        long number = 0;
        long at = 0;
        String kind = "";
        String member = null;
        String text = "";
        while (in.next()) {
            switch (in.field()) {
                case 1 -> number = in.int64();
                case 2 -> at = in.int64();
                case 3 -> kind = in.text();
                case 4 -> member = in.text();
                case 5 -> text = in.text();
                default -> in.skip();
            }
        }
        return new Event(number, at, kind, member, text);
    }
}
