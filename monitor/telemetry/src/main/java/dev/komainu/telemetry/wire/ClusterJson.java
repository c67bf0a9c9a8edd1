package dev.komainu.telemetry.wire;

import dev.komainu.telemetry.record.ClusterView;
import dev.komainu.telemetry.record.ClusterView.Conflict;
import dev.komainu.telemetry.record.ClusterView.Count;
import dev.komainu.telemetry.record.ClusterView.Event;
import dev.komainu.telemetry.record.ClusterView.Line;
import dev.komainu.telemetry.record.ClusterView.Member;
import dev.komainu.telemetry.record.ClusterView.Route;
import dev.komainu.telemetry.record.ClusterView.Server;

/** JSON of an organizer's view of its cluster. */
final class ClusterJson {

    private ClusterJson() {}

    static void write(ClusterView it, JsonObjectWriter out) {
        out.text("cluster", it.cluster());
        out.text("member", it.member());
        out.text("node", it.node());
        out.int64("startedMicros", it.startedMicros());
        out.int64("atMicros", it.atMicros());
        out.int64("group", it.group());
        out.text("digest", it.digest());
        out.objects("members", it.members(), ClusterJson::writeMember);
        out.objects("routes", it.routes(), ClusterJson::writeRoute);
        out.objects("conflicts", it.conflicts(), ClusterJson::writeConflict);
        out.objects("lines", it.lines(), ClusterJson::writeLine);
        out.objects("servers", it.servers(), ClusterJson::writeServer);
        out.objects("counts", it.counts(), ClusterJson::writeCount);
        out.objects("events", it.events(), ClusterJson::writeEvent);
    }

    static ClusterView read(JsonObjectReader in) throws MalformedBatchException {
        return new ClusterView(
                in.text("cluster"),
                in.text("member"),
                in.text("node"),
                in.int64("startedMicros"),
                in.int64("atMicros"),
                in.count32("group"),
                in.text("digest"),
                in.objects("members", ClusterJson::readMember),
                in.objects("routes", ClusterJson::readRoute),
                in.objects("conflicts", ClusterJson::readConflict),
                in.objects("lines", ClusterJson::readLine),
                in.objects(
                        "servers",
                        server -> new Server(server.text("address"), server.text("state"))),
                in.objects("counts", count -> new Count(count.text("name"), count.count("count"))),
                in.objects("events", ClusterJson::readEvent));
    }

    private static void writeMember(Member it, JsonObjectWriter out) {
        out.text("name", it.name());
        out.text("line", it.line());
        out.int64("startedMicros", it.startedMicros());
        out.int64("coordinator", it.coordinator() ? 1 : 0);
        out.int64("draining", it.draining() ? 1 : 0);
        out.int64("flapping", it.flapping() ? 1 : 0);
        out.text("state", it.state());
        out.text("reach", it.reach());
        out.int64("delayMicros", it.delayMicros());
        out.int64("inFlight", it.inFlight());
        out.int64("serviceMicros", it.serviceMicros());
        out.int64("served", it.served());
        out.int64("faults", it.faults());
    }

    private static Member readMember(JsonObjectReader in) throws MalformedBatchException {
        return new Member(
                in.text("name"),
                in.text("line"),
                in.int64("startedMicros"),
                in.count("coordinator") != 0,
                in.count("draining") != 0,
                in.count("flapping") != 0,
                in.text("state"),
                in.text("reach"),
                in.count("delayMicros"),
                in.count("inFlight"),
                in.count("serviceMicros"),
                in.count("served"),
                in.count("faults"));
    }

    private static void writeRoute(Route it, JsonObjectWriter out) {
        out.text("prefix", it.prefix());
        out.text("member", it.member());
        out.int64("weight", it.weight());
        out.int64("capacity", it.capacity());
        out.int64("cache", it.cache() ? 1 : 0);
        out.text("content", it.content());
    }

    private static Route readRoute(JsonObjectReader in) throws MalformedBatchException {
        return new Route(
                in.text("prefix"),
                in.text("member"),
                in.count32("weight"),
                in.count32("capacity"),
                in.count("cache") != 0,
                in.text("content"));
    }

    private static void writeConflict(Conflict it, JsonObjectWriter out) {
        out.text("prefix", it.prefix());
        out.texts("served", it.served());
        out.texts("contested", it.contested());
    }

    private static Conflict readConflict(JsonObjectReader in) throws MalformedBatchException {
        return new Conflict(in.text("prefix"), in.texts("served"), in.texts("contested"));
    }

    private static void writeLine(Line it, JsonObjectWriter out) {
        out.text("to", it.to());
        out.int64("connections", it.connections());
        out.int64("streams", it.streams());
        out.int64("waiting", it.waiting());
        out.int64("rttMicros", it.rttMicros());
        out.int64("sentBytes", it.sentBytes());
        out.int64("receivedBytes", it.receivedBytes());
        out.int64("segmentBytes", it.segmentBytes());
        out.int64("againBytes", it.againBytes());
        out.int64("opened", it.opened());
        out.int64("lost", it.lost());
        out.text("failure", it.failure());
        out.text("carrier", it.carrier());
        out.int64OrAbsent("downMicros", it.downMicros());
    }

    private static Line readLine(JsonObjectReader in) throws MalformedBatchException {
        return new Line(
                in.text("to"),
                in.count32("connections"),
                in.count32("streams"),
                in.count32("waiting"),
                in.count("rttMicros"),
                in.count("sentBytes"),
                in.count("receivedBytes"),
                in.count("segmentBytes"),
                in.count("againBytes"),
                in.count("opened"),
                in.count("lost"),
                in.text("failure"),
                in.textOrAbsent("carrier"),
                in.has("downMicros") ? in.int64("downMicros") : null);
    }

    private static void writeServer(Server it, JsonObjectWriter out) {
        out.text("address", it.address());
        out.text("state", it.state());
    }

    private static void writeCount(Count it, JsonObjectWriter out) {
        out.text("name", it.name());
        out.int64("count", it.count());
    }

    private static void writeEvent(Event it, JsonObjectWriter out) {
        out.int64("number", it.number());
        out.int64("atMicros", it.atMicros());
        out.text("kind", it.kind());
        out.text("member", it.member());
        out.text("text", it.text());
    }

    private static Event readEvent(JsonObjectReader in) throws MalformedBatchException {
        return new Event(
                in.count("number"),
                in.int64("atMicros"),
                in.text("kind"),
                in.textOrAbsent("member"),
                in.text("text"));
    }
}
