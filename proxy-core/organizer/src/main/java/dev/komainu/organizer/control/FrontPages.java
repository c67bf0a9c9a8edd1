package dev.komainu.organizer.control;

import dev.komainu.organizer.front.Front;
import dev.komainu.organizer.front.FrontCounts;
import dev.komainu.organizer.front.GatewayError;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.page.PageCounts;
import dev.komainu.organizer.page.PageLearner;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the endpoint tells of requests and lines. */
final class FrontPages {

    private FrontPages() {}

    static Map<String, Object> front(Front front) {
        Map<String, Object> counts = new LinkedHashMap<>();
        for (FrontCounts.Kind kind : FrontCounts.Kind.values()) {
            counts.put(kind.text(), front.counts().of(kind));
        }
        Map<String, Object> refused = new LinkedHashMap<>();
        for (GatewayError why : GatewayError.values()) {
            refused.put(why.text(), front.counts().of(why));
        }
        List<Object> lines = new ArrayList<>();
        for (LineFigures line : front.lineFigures()) {
            Map<String, Object> one = new LinkedHashMap<>();
            one.put("to", line.to().toString());
            one.put("connections", line.connections().size());
            one.put("carrier", line.carrier().text());
            one.put("carrierWhy", line.carrierWhy());
            one.put(
                    "over",
                    line.connections().stream()
                            .map(each -> each.over().text())
                            .distinct()
                            .sorted()
                            .toList());
            one.put("streams", line.streams());
            one.put("waiting", line.waiting());
            one.put("rttMicros", line.rttMicros());
            one.put("sentBytes", line.sentBytes());
            one.put("receivedBytes", line.receivedBytes());
            one.put("segmentBytes", line.segmentBytes());
            one.put("againBytes", line.againBytes());
            one.put("opened", line.opened());
            one.put("repeated", line.repeated());
            one.put("connectionsLost", line.connectionsLost());
            one.put("lingerTimeouts", line.lingerTimeouts());
            one.put("lastFailure", line.lastFailure());
            one.put("downSinceMillis", line.downSinceMillis());
            lines.add(one);
        }
        InetSocketAddress listens = front.address();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("listen", listens == null ? "none" : text(listens));
        all.put("line", text(front.lineAddress()));
        all.put("withoutQuic", front.lineWithoutQuic());
        all.put("lingerTimeouts", front.peerFigures().lingerTimeouts());
        all.put("counts", counts);
        all.put("refused", refused);
        all.put("pages", pages(front));
        all.put("lines", lines);
        return all;
    }

    private static Map<String, Object> pages(Front front) {
        Map<String, Object> pages = new LinkedHashMap<>();
        PageLearner.Figures known = front.pageFigures();
        pages.put("known", known == null ? 0 : known.pages());
        pages.put("objects", known == null ? 0 : known.objects());
        pages.put("heldBytes", front.heldPageBytes());
        for (PageCounts.Kind kind : PageCounts.Kind.values()) {
            pages.put(kind.text(), front.pageCounts().of(kind));
        }
        return pages;
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }

    static String metrics(Front front) {
        StringBuilder out = new StringBuilder(2048);
        out.append(
                "# HELP komainu_organizer_requests_total What became of requests; one may count for several\n");
        out.append("# TYPE komainu_organizer_requests_total counter\n");
        for (FrontCounts.Kind kind : FrontCounts.Kind.values()) {
            out.append("komainu_organizer_requests_total{kind=\"")
                    .append(kind.text())
                    .append("\"} ")
                    .append(front.counts().of(kind))
                    .append('\n');
        }
        out.append(
                "# HELP komainu_organizer_refused_total Requests that got no answer of a server, by reason\n");
        out.append("# TYPE komainu_organizer_refused_total counter\n");
        for (GatewayError why : GatewayError.values()) {
            out.append("komainu_organizer_refused_total{reason=\"")
                    .append(why.text())
                    .append("\"} ")
                    .append(front.counts().of(why))
                    .append('\n');
        }
        pageMetrics(out, front);
        return out.toString();
    }

    private static void pageMetrics(StringBuilder out, Front front) {
        PageLearner.Figures known = front.pageFigures();
        out.append("# HELP komainu_organizer_pages_known Pages whose objects are learnt\n");
        out.append("# TYPE komainu_organizer_pages_known gauge\n");
        out.append("komainu_organizer_pages_known ")
                .append(known == null ? 0 : known.pages())
                .append('\n');
        out.append(
                "# HELP komainu_organizer_pages_held_bytes What came unasked and is at hand, or under way\n");
        out.append("# TYPE komainu_organizer_pages_held_bytes gauge\n");
        out.append("komainu_organizer_pages_held_bytes ")
                .append(front.heldPageBytes())
                .append('\n');
        out.append(
                "# HELP komainu_organizer_pages_total What became of answers that nobody had asked for; bytes where "
                        + "the kind says so\n");
        out.append("# TYPE komainu_organizer_pages_total counter\n");
        for (PageCounts.Kind kind : PageCounts.Kind.values()) {
            out.append("komainu_organizer_pages_total{kind=\"")
                    .append(kind.text())
                    .append("\"} ")
                    .append(front.pageCounts().of(kind))
                    .append('\n');
        }
    }
}
