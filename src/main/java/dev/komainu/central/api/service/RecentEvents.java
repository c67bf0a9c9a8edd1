package dev.komainu.central.api.service;

import dev.komainu.central.change.Changes;
import dev.komainu.central.control.ControlDataFailure;
import dev.komainu.central.control.LaterWrites;
import dev.komainu.central.state.StateHistory;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * The newest transitions and changes of all services. They are in the database of control data,
 * which can be away; the assessment's thread does not wait for it. Any thread.
 */
@Component
class RecentEvents {

    /** Key of the reading in the queue; its text is for the log. */
    private static final Object READING = new Object() {
        @Override
        public String toString() {
            return "reading of recent events";
        }
    };

    private final StateHistory history;
    private final Changes changes;
    private final LaterWrites later;
    private volatile List<OverviewView.Recent> newest = List.of();

    RecentEvents(StateHistory history, Changes changes, LaterWrites later) {
        this.history = history;
        this.changes = changes;
        this.later = later;
    }

    /** Reads the events, newest first; absent while the database is away. */
    @Nullable
    List<OverviewView.Recent> read() {
        try {
            return stored();
        } catch (RuntimeException e) {
            if (ControlDataFailure.of(e).isOutage()) {
                return null;
            }
            throw e;
        }
    }

    /**
     * Requests a reading for {@link #newest}. It follows the writes of all transitions that came
     * before.
     */
    void refresh() {
        later.run(READING, () -> newest = stored());
    }

    /** Returns the events of the newest reading, newest first; none before the first reading. */
    List<OverviewView.Recent> newest() {
        return newest;
    }

    private List<OverviewView.Recent> stored() {
        return OverviewView.recent(
                history.list(null, 0, Long.MAX_VALUE, Long.MAX_VALUE, OverviewView.RECENT),
                changes.list(null, Long.MAX_VALUE, OverviewView.RECENT));
    }
}
