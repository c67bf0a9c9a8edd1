package dev.komainu.proxy.cache;

class FrequencyEntriesTest extends EntriesContract {

    @Override
    Entries entries(long maximum) {
        return Entries.of(CachePolicy.W_TINYLFU, maximum, this);
    }
}
