package dev.komainu.proxy.exchange;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open sessions of one event loop. A linked list: a hash set would need an identity hash code
 * of each connection, which the JVM computes outside compiled code. Its loop only.
 */
final class OpenSessions {

    /** The place of a session in the list. */
    static final class Entry {
        private final ClientSession session;
        private @Nullable Entry older;
        private @Nullable Entry younger;
        private boolean isListed = true;

        private Entry(ClientSession session) {
            this.session = session;
        }
    }

    private @Nullable Entry youngest;
    private int size;

    /** Adds a session; {@link #remove} needs the returned entry. */
    Entry add(ClientSession session) {
        Entry added = new Entry(session);
        Entry before = youngest;
        added.older = before;
        if (before != null) {
            before.younger = added;
        }
        youngest = added;
        size++;
        return added;
    }

    /**
     * Removes a session.
     *
     * @param entry null for a session that was not added
     * @return false when it is not listed
     */
    boolean remove(@Nullable Entry entry) {
        if (entry == null || !entry.isListed) {
            return false;
        }
        entry.isListed = false;
        Entry older = entry.older;
        Entry younger = entry.younger;
        if (older != null) {
            older.younger = younger;
        }
        if (younger == null) {
            youngest = older;
        } else {
            younger.older = older;
        }
        entry.older = null;
        entry.younger = null;
        size--;
        return true;
    }

    /** Returns the sessions that are listed now; they may leave while the result is read. */
    List<ClientSession> all() {
        List<ClientSession> all = new ArrayList<>(size);
        for (Entry entry = youngest; entry != null; entry = entry.older) {
            all.add(entry.session);
        }
        return all;
    }

    int size() {
        return size;
    }
}
