package dev.komainu.central.fleet;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The names of one kind that are in use, with a limit in all and for each credential. A name
 * belongs to the credential that used it first. Any thread.
 */
public final class NameQuota {

    /** The owner of names from a time before owners were stored; it has no limit of its own. */
    private static final String UNKNOWN = "";

    private final int most;
    private final int mostPerCredential;
    private final Map<String, Use> uses = new HashMap<>();
    private final Map<String, Integer> byCredential = new HashMap<>();

    /** The owner of a name and the time of its last use. */
    private record Use(String credential, long atMicros) {}

    public NameQuota(int most, int mostPerCredential) {
        this.most = most;
        this.mostPerCredential = mostPerCredential;
    }

    /**
     * Uses a name. A new name takes one place of the limits.
     *
     * @return false when the name is new and a limit is reached
     */
    public synchronized boolean use(String name, String credential, long nowMicros) {
        Use known = uses.get(name);
        if (known != null) {
            uses.put(name, new Use(known.credential(), nowMicros));
            return true;
        }
        if (uses.size() >= most || byCredential.getOrDefault(credential, 0) >= mostPerCredential) {
            return false;
        }
        put(name, credential, nowMicros);
        return true;
    }

    /** Adds a name from the disk; the limits do not apply. */
    synchronized void restore(String name, @Nullable String credential, long atMicros) {
        if (!uses.containsKey(name)) {
            put(name, credential == null ? UNKNOWN : credential, atMicros);
        }
    }

    private void put(String name, String credential, long atMicros) {
        uses.put(name, new Use(credential, atMicros));
        if (!credential.equals(UNKNOWN)) {
            byCredential.merge(credential, 1, Integer::sum);
        }
    }

    /** Frees the place of a name. */
    synchronized void release(String name) {
        Use use = uses.remove(name);
        if (use != null) {
            byCredential.computeIfPresent(
                    use.credential(), (credential, count) -> count == 1 ? null : count - 1);
        }
    }

    /** Frees the places of names that are not in this set and were not used since a time. */
    public synchronized void retain(Set<String> names, long oldestMicros) {
        uses.entrySet().stream()
                .filter(use ->
                        !names.contains(use.getKey()) && use.getValue().atMicros() < oldestMicros)
                .map(Map.Entry::getKey)
                .toList()
                .forEach(this::release);
    }

    /** Returns the credential that a name belongs to; null when the name is not in use. */
    synchronized @Nullable String owner(String name) {
        Use use = uses.get(name);
        return use == null || use.credential().equals(UNKNOWN) ? null : use.credential();
    }

    /** Returns the number of names in use. */
    public synchronized int size() {
        return uses.size();
    }

    public int most() {
        return most;
    }
}
