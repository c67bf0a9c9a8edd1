package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.CachePolicy;
import dev.komainu.proxy.cache.PartitionMode;
import dev.komainu.proxy.cache.PartitionSettings;
import dev.komainu.proxy.cache.PriorityPrefix;
import java.util.List;
import org.junit.jupiter.api.Nested;

/**
 * The contract of all policies for pools, divided or not: keys 1 and 10 to 19 and so on are in the
 * protected one.
 */
class PartitionedEntriesTest {

    abstract static class Divided extends CacheEntriesContract {

        private final CachePolicy policy;
        private final PartitionMode mode;

        Divided(CachePolicy policy, PartitionMode mode) {
            this.policy = policy;
            this.mode = mode;
        }

        @Override
        CacheEntries entries(long maximum) {
            PartitionSettings settings =
                    new PartitionSettings(mode, List.of(PriorityPrefix.parse("host/1")), 20, 20);
            return new PartitionedEntries(policy, settings, 100, maximum, this);
        }
    }

    @Nested
    class SingleTinyLfu extends Divided {
        SingleTinyLfu() {
            super(CachePolicy.W_TINYLFU, PartitionMode.SINGLE);
        }
    }

    @Nested
    class SingleLru extends Divided {
        SingleLru() {
            super(CachePolicy.LRU, PartitionMode.SINGLE);
        }
    }

    @Nested
    class BasicTinyLfu extends Divided {
        BasicTinyLfu() {
            super(CachePolicy.W_TINYLFU, PartitionMode.BASIC);
        }
    }

    @Nested
    class BasicLru extends Divided {
        BasicLru() {
            super(CachePolicy.LRU, PartitionMode.BASIC);
        }
    }

    @Nested
    class PartitionTinyLfu extends Divided {
        PartitionTinyLfu() {
            super(CachePolicy.W_TINYLFU, PartitionMode.PARTITION);
        }
    }

    @Nested
    class PartitionLru extends Divided {
        PartitionLru() {
            super(CachePolicy.LRU, PartitionMode.PARTITION);
        }
    }
}
