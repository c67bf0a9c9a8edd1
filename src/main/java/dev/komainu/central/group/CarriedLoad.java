package dev.komainu.central.group;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The numbers of requests that one mirror has carried, and whether it differed from its peers
 * meanwhile. A mirror that has carried as many requests without a difference does not differ now
 * because of them. One that is nearly saturated differs again and again at the same load, and there
 * the load does explain it. Not thread-safe.
 */
final class CarriedLoad {

    /** Blocks that are remembered: ten minutes. */
    private static final int BLOCKS = 120;

    /** The newest blocks do not count: the difference that is to be explained began in them. */
    private static final int NEWEST = MirrorWatch.LOOK;

    /** Blocks with as many requests, at least. */
    private static final int NEEDED = 12;

    /** A block counts as one with as many requests from this share of them on. */
    private static final double AS_MANY = 0.9;

    /** Share of those blocks in which the mirror did not differ, at least. */
    private static final double WITHOUT_DIFFERENCE = 0.9;

    private record Block(double requests, boolean differed) {}

    /** Oldest first. */
    private final Deque<Block> blocks = new ArrayDeque<>();

    void add(double requests, boolean differed) {
        blocks.addLast(new Block(requests, differed));
        if (blocks.size() > BLOCKS + NEWEST) {
            blocks.removeFirst();
        }
    }

    /**
     * Reports whether the mirror has carried this many requests in a block without a difference.
     */
    boolean covers(double requests) {
        int counted = blocks.size() - NEWEST;
        int asMany = 0;
        int alike = 0;
        for (Block block : blocks) {
            if (counted-- <= 0) {
                break;
            }
            if (block.requests() >= AS_MANY * requests) {
                asMany++;
                alike += block.differed() ? 0 : 1;
            }
        }
        return asMany >= NEEDED && alike >= WITHOUT_DIFFERENCE * asMany;
    }
}
