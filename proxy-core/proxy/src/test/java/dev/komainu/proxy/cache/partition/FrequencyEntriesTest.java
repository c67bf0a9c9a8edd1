package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.CachePolicy;

class FrequencyEntriesTest extends EntriesContract {

    @Override
    Entries entries(long maximum) {
        return Entries.of(CachePolicy.W_TINYLFU, maximum, this);
    }
}
