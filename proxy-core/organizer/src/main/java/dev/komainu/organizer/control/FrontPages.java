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

/** The pages of the control endpoint about requests and lines. */
final class FrontPages {

    private FrontPages() {}

    static Map<String, Object> front(Front front) {
        Map<String, Object> counts = new LinkedHashMap<>();
        for (FrontCounts.Kind kind : FrontCounts.Kind.values()) {
            counts.put(kind.text(), front.counts().of(kind));
        }
        Map<String, Object> refused = new LinkedHashMap<>();
        for (GatewayError error : GatewayError.values()) {
            refused.put(error.text(), front.counts().of(error));
        }
        List<Object> lines = new ArrayList<>();
        for (LineFigures line : front.lineFigures()) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("to", line.to().toString());
            entry.put("connections", line.connections().size());
            entry.put("carrier", line.carrier().text());
            entry.put("carrierWhy", line.carrierWhy());
            entry.put(
                    "over",
                    line.connections().stream()
                            .map(connection -> connection.over().text())
                            .distinct()
                            .sorted()
                            .toList());
            entry.put("streams", line.streams());
            entry.put("waiting", line.waiting());
            entry.put("rttMicros", line.rttMicros());
            entry.put("sentBytes", line.sentBytes());
            entry.put("receivedBytes", line.receivedBytes());
            entry.put("segmentBytes", line.segmentBytes());
            entry.put("againBytes", line.againBytes());
            entry.put("opened", line.opened());
            entry.put("repeated", line.repeated());
            entry.put("connectionsLost", line.connectionsLost());
            entry.put("lingerTimeouts", line.lingerTimeouts());
            entry.put("lastFailure", line.lastFailure());
            entry.put("downSinceMillis", line.downSinceMillis());
            lines.add(entry);
        }
        InetSocketAddress listenAddress = front.address();
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("listen", listenAddress == null ? "none" : text(listenAddress));
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
        pages.put("heldBytes", front.pushStoreBytes());
        for (PageCounts.Kind kind : PageCounts.Kind.values()) {
            pages.put(kind.text(), front.pageCounts().of(kind));
        }
        return pages;
    }

    private static String text(InetSocketAddress address) {
        return address.getAddress().getHostAddress() + ":" + address.getPort();
    }
}
