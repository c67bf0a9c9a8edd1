package dev.komainu.proxy.control;

import dev.komainu.proxy.disk.DiskFigures;
import dev.komainu.proxy.peak.PeakDecision;
import dev.komainu.proxy.peak.PeakHistory;
import dev.komainu.proxy.peak.PeakView;
import dev.komainu.proxy.peak.SecondReading;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of {@code /control/v1/stats} on the disk tier and the peak, and the page
 * {@code /control/v1/peak}.
 */
final class DiskPage {

    private DiskPage() {}

    /** Adds the disk tier's statistics. */
    static void into(Map<String, Object> all, DiskFigures f, long diskHits) {
        all.put("diskHits", diskHits);
        all.put("diskRecords", f.space().records());
        all.put("diskBytes", f.space().bytes());
        all.put("diskBudgetBytes", f.space().limitBytes());
        all.put("diskProtectedBytes", f.space().protectedBytes());
        all.put("diskSegments", f.space().segments());
        all.put("diskIndexBytes", f.space().indexBytes());
        all.put("diskAsked", f.reads().asked());
        all.put("diskFound", f.reads().found());
        all.put("diskFoundBytes", f.reads().foundBytes());
        all.put("diskUnread", f.reads().unread());
        all.put("diskWritten", f.writes().written());
        all.put("diskWrittenBytes", f.writes().writtenBytes());
        all.put("diskKept", f.writes().kept());
        all.put("diskUnwritten", f.writes().unwritten());
        all.put("diskAged", f.upkeep().aged());
        all.put("diskRenewed", f.upkeep().renewed());
        all.put("diskDamaged", f.upkeep().damaged());
        all.put("diskTorn", f.upkeep().torn());
        all.put("diskQueue", f.reads().queue());
        all.put("diskWaitingBytes", f.writes().waitingBytes());
        all.put("diskReadP95Micros", f.reads().readP95Micros());
    }

    /** Adds the peak decision. */
    static void into(Map<String, Object> all, PeakView view) {
        all.put("peak", view.now().peak());
        all.put("peakGround", ground(view.now()));
        all.put("peakReason", view.now().reason());
        all.put("peakSinceMicros", view.now().sinceMillis() * 1000);
        all.put("peakSwitches", view.switches());
        PeakHistory.Expected next = view.next();
        all.put("peakNextMicros", next == null ? null : next.atMillis() * 1000);
        all.put("peakNextConfidence", next == null ? null : next.confidence());
    }

    private static String ground(PeakDecision.Now now) {
        return now.ground().name().toLowerCase(Locale.ROOT);
    }

    static Map<String, Object> of(PeakView view) {
        Map<String, Object> all = now(view.now());
        all.put(
                "orderedUntilMicros",
                view.orderedUntilMillis() == null ? null : view.orderedUntilMillis() * 1000);
        all.put("switches", view.switches());
        all.put("usualArrivals", view.usualArrivals());
        Map<String, Object> hour = new LinkedHashMap<>();
        hour.put("median", view.ofTheDay().median());
        hour.put("spread", view.ofTheDay().spread());
        hour.put("days", view.ofTheDay().days());
        all.put("atThisTimeOfDay", hour);
        all.put("next", next(view.next()));
        all.put("readings", readings(view.last()));
        List<Map<String, Object>> history =
                view.history().reversed().stream().map(DiskPage::now).toList();
        all.put("history", history);
        return all;
    }

    private static Map<String, Object> now(PeakDecision.Now now) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("peak", now.peak());
        members.put("ground", ground(now));
        members.put("reason", now.reason());
        members.put("sinceMicros", now.sinceMillis() * 1000);
        return members;
    }

    private static @Nullable Map<String, Object> next(PeakHistory.@Nullable Expected next) {
        if (next == null) {
            return null;
        }
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("atMicros", next.atMillis() * 1000);
        members.put("spreadMicros", next.spreadMillis() * 1000);
        members.put("confidence", next.confidence());
        members.put("switchedAheadMicros", next.heldFromMillis() * 1000);
        members.put("givenUpMicros", next.heldToMillis() * 1000);
        members.put("usualLengthMicros", next.usualLengthMillis() * 1000);
        return members;
    }

    private static @Nullable Map<String, Object> readings(@Nullable SecondReading second) {
        if (second == null) {
            return null;
        }
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("atMicros", second.atMillis() * 1000);
        members.put("arrivals", second.arrivals());
        members.put("diskReads", second.reads());
        members.put("diskReadP95Millis", second.readP95Millis());
        members.put("diskQueue", second.queue());
        members.put("diskBusy", second.diskBusy());
        members.put("loopDelayMillis", second.loopDelayMillis());
        return members;
    }
}
