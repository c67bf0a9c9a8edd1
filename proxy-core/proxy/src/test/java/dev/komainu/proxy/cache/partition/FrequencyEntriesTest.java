package dev.komainu.proxy.cache.partition;

import dev.komainu.proxy.cache.CachePolicy;

class FrequencyEntriesTest extends CacheEntriesContract {

    @Override
    CacheEntries entries(long maximum) {
        return CacheEntries.of(CachePolicy.W_TINYLFU, maximum, this);
    }
}
