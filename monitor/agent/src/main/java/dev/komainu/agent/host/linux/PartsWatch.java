package dev.komainu.agent.host.linux;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The cheap look, once a second, at parts that break at once: the carriers of links, and the queues
 * of CPUs that drop packets. One thread at a time.
 */
public final class PartsWatch {

    private static final int MOST = 64;
    private static final long MANY_DROPS = 10;

    private final Path net;
    private final BacklogDrops drops;
    private final Map<String, Long> changes = new HashMap<>();

    public PartsWatch(ProcFiles proc, Path sys) {
        this.net = sys.resolve("class/net");
        this.drops = new BacklogDrops(proc);
    }

    /** Returns what changed since the last look, always the same text for the same part. */
    public List<String> look() {
        List<String> changed = new ArrayList<>();
        List<Path> cards = SysFiles.entries(net);
        for (Path card : cards.subList(0, Math.min(MOST, cards.size()))) {
            Long count = SysFiles.number(card.resolve("carrier_changes"));
            String name = card.getFileName().toString();
            Long before = count == null ? null : changes.put(name, count);
            if (before != null && !before.equals(count)) {
                changed.add("link of " + name + " went up or down");
            }
        }
        changes.keySet()
                .retainAll(cards.stream()
                        .map(card -> card.getFileName().toString())
                        .toList());
        Long dropped = drops.read();
        if (dropped != null && dropped >= MANY_DROPS) {
            changed.add("the queue of a CPU drops packets");
        }
        return changed;
    }
}
