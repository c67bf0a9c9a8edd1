package dev.komainu.central.indices;

import dev.komainu.central.store.ServiceSum;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The election of one source among several for the live seconds of one service. The elected source
 * stays elected; the reports of the others are kept for a quarter of a minute and used where they
 * are needed, so that no second is counted twice and none is lost. Another source is elected
 *
 * <ul>
 *   <li>when the elected source did not report for {@value #PATIENCE_SECONDS} s by the central
 *       service's clock, or reports times {@value #BEHIND_SECONDS} s behind the other (a drained
 *       spool): the seconds since its last one are filled from the kept reports, and its last one,
 *       which may be partial, is replaced;
 *   <li>when two of its last three seconds have packet loss and the other's have none: those are
 *       replaced;
 *   <li>when an agent beside the server has reported three seconds without loss: it also sees
 *       packets that never leave the host.
 * </ul>
 *
 * <p>A second that only others report is taken from them when it is {@value #PATIENCE_SECONDS} s
 * old. So is the first second after a pause of the elected source, which may be partial (after a
 * restart), and a second that it marks as partial. A source that knows the server by several
 * addresses reports each; these are summed. Guarded by its owner's lock.
 */
final class LiveSourceElection {

    static final long SECOND_MICROS = 1_000_000;

    static final int PATIENCE_SECONDS = 3;
    static final int BEHIND_SECONDS = 6;

    /** What is older was told, or is lost in the ring. */
    static final int REMEMBERED_SECONDS = 15;

    private static final int MOST_VOICES = 16;
    private static final ServiceSum SUM = new ServiceSum();

    /** A second to be written into the rings, in place of what is there. */
    record Word(long second, ServiceWindow window) {}

    private static final class Voice {
        final String source;
        boolean beside;
        long heardMillis;
        final TreeMap<Long, ServiceWindow> recent = new TreeMap<>();

        Voice(String source) {
            this.source = source;
        }

        ServiceWindow take(long second, ServiceWindow window) {
            ServiceWindow whole = recent.merge(second, window, SUM::beside);
            while (recent.size() > REMEMBERED_SECONDS) {
                recent.pollFirstEntry();
            }
            return whole;
        }

        /**
         * Whether it was there all the second, as far as we know: it told of the one before, too,
         * and of all of this one.
         */
        boolean sawWhole(long second) {
            ServiceWindow window = recent.get(second);
            return window != null && isWhole(window) && recent.containsKey(second - 1);
        }

        boolean cameBackIn(long second) {
            return recent.lowerKey(second) != null && !sawWhole(second);
        }

        boolean isClean(long second) {
            ServiceWindow window = recent.get(second);
            return window != null && !SUM.isLossy(window);
        }

        boolean isLossy(long second) {
            ServiceWindow window = recent.get(second);
            return window != null && SUM.isLossy(window);
        }
    }

    private final Map<String, Voice> voices = new HashMap<>();
    private final long[] seconds;
    private final @Nullable String[] tellers;
    private @Nullable Voice speaker;
    private long newest = Long.MIN_VALUE;
    private long unused;

    /** @param slots seconds remembered as told */
    LiveSourceElection(int slots) {
        this.seconds = new long[slots];
        this.tellers = new String[slots];
        Arrays.fill(seconds, Long.MIN_VALUE);
    }

    /** Who has the word; null before the first. */
    @Nullable
    String speaker() {
        return speaker == null ? null : speaker.source;
    }

    /** Windows so far that were not used because another source had the word. */
    long unused() {
        return unused;
    }

    /**
     * Takes what a source tells of a second.
     *
     * @param beside the source calls the service by its own id: it runs on the server's host
     * @return what is now to be written, in order of time
     */
    List<Word> hear(String source, boolean beside, ServiceWindow window, long nowMillis) {
        Voice voice = voices.computeIfAbsent(source, Voice::new);
        voice.beside |= beside;
        voice.heardMillis = nowMillis;
        long second = window.fromMicros() / SECOND_MICROS;
        ServiceWindow whole = voice.take(second, window);
        List<Word> words = new ArrayList<>(1);
        Voice before = speaker;
        if (before == null) {
            speaker = voice;
        } else if (before != voice && shallTakeOver(before, voice, nowMillis)) {
            speaker = voice;
            takeOver(before, voice, isSilent(before, nowMillis), words);
        }
        boolean othersMayKnow = voices.size() > 1 && voice.cameBackIn(second);
        if (speaker == voice && (isTold(second) ? source.equals(teller(second)) : !othersMayKnow)) {
            tell(voice, second, whole, words);
        }
        if (voices.size() > 1) {
            voices.values().forEach(each -> fillGaps(each, true, words));
            voices.values().forEach(each -> fillGaps(each, false, words));
            forgetSilent(nowMillis);
        }
        if (words.isEmpty()) {
            unused++;
        }
        return words;
    }

    /** Forgets what was told of later seconds: they will be told of again. */
    void forgetAfter(long second) {
        if (newest <= second) {
            return;
        }
        newest = Long.MIN_VALUE;
        for (int slot = 0; slot < seconds.length; slot++) {
            if (seconds[slot] > second) {
                seconds[slot] = Long.MIN_VALUE;
                tellers[slot] = null;
            } else {
                newest = Math.max(newest, seconds[slot]);
            }
        }
        // A voice without a second told has none that could be compared with another's.
        voices.values().forEach(voice -> voice.recent.tailMap(second, false).clear());
        voices.values().removeIf(voice -> voice.recent.isEmpty());
        if (speaker != null && speaker.recent.isEmpty()) {
            speaker = null;
        }
    }

    private static boolean isWhole(ServiceWindow window) {
        return window.lengthMicros() >= SECOND_MICROS;
    }

    private static boolean isSilent(Voice voice, long nowMillis) {
        return nowMillis - voice.heardMillis > PATIENCE_SECONDS * 1_000L;
    }

    private boolean shallTakeOver(Voice from, Voice to, long nowMillis) {
        if (isSilent(from, nowMillis)) {
            return true;
        }
        long last = to.recent.lastKey();
        if (last - from.recent.lastKey() > BEHIND_SECONDS) {
            return true;
        }
        int lossy = 0;
        for (long second = last - 2; second <= last; second++) {
            if (!to.isClean(second)) {
                return false;
            }
            lossy += from.isLossy(second) ? 1 : 0;
        }
        return lossy >= 2 || to.beside && !from.beside;
    }

    private void takeOver(Voice from, Voice to, boolean silent, List<Word> words) {
        Long ended = from.recent.lastKey();
        to.recent.forEach((second, window) -> {
            boolean doubtful = from.source.equals(teller(second))
                    && (from.isLossy(second) || silent && second.equals(ended));
            boolean first = second.equals(to.recent.firstKey());
            // A second without a report yet waits for a source that saw all of it.
            if (isTold(second) ? doubtful && !first : isWhole(window)) {
                tell(to, second, window, words);
            }
        });
    }

    /** Time went on and left something out. */
    private void fillGaps(Voice voice, boolean wholeOnly, List<Word> words) {
        voice.recent.forEach((second, window) -> {
            if (second <= newest - PATIENCE_SECONDS
                    && !isTold(second)
                    && (!wholeOnly || voice.sawWhole(second))) {
                tell(voice, second, window, words);
            }
        });
    }

    private void tell(Voice voice, long second, ServiceWindow window, List<Word> words) {
        if (newest != Long.MIN_VALUE && second <= newest - seconds.length) {
            return;
        }
        int slot = (int) Math.floorMod(second, (long) seconds.length);
        seconds[slot] = second;
        tellers[slot] = voice.source;
        newest = Math.max(newest, second);
        words.removeIf(word -> word.second() == second);
        words.add(new Word(second, window));
    }

    private boolean isTold(long second) {
        return seconds[(int) Math.floorMod(second, (long) seconds.length)] == second;
    }

    private @Nullable String teller(long second) {
        return isTold(second) ? tellers[(int) Math.floorMod(second, (long) seconds.length)] : null;
    }

    private void forgetSilent(long nowMillis) {
        if (voices.size() > 1) {
            voices.values()
                    .removeIf(voice -> voice != speaker
                            && nowMillis - voice.heardMillis > REMEMBERED_SECONDS * 1_000L);
        }
        while (voices.size() > MOST_VOICES) {
            voices.values().stream()
                    .filter(voice -> voice != speaker)
                    .min((a, b) -> Long.compare(a.heardMillis, b.heardMillis))
                    .ifPresent(oldest -> voices.remove(oldest.source));
        }
    }
}
