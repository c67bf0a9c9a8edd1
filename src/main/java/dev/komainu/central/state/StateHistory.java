package dev.komainu.central.state;

import dev.komainu.central.indices.Evidence;
import dev.komainu.central.indices.LocalizedText;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** The stored transitions with their evidence. Any thread. */
@Component
public class StateHistory implements TransitionStore {

    /** Seconds of refusals before a stop is named, at most. */
    private static final int NAMED_AFTER_SECONDS = 4;

    private final JdbcClient jdbc;
    private final JsonMapper json = JsonMapper.builder().build();

    public StateHistory(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * A stored transition.
     *
     * @param id ascending with time
     */
    public record Kept(long id, Transition transition) {}

    /** The number of transitions from one state to another, with the cause of the last one. */
    public record Count(ServiceState from, ServiceState to, int count, LocalizedText lastCause) {}

    @Override
    public void keep(Transition transition) {
        jdbc.sql("""
                        insert into state_transition (service, at_second, from_state, to_state, rule, cause_en,
                            cause_ja, evidence) values (?, ?, ?, ?, ?, ?, ?, ?)""")
                .params(
                        transition.service(),
                        transition.atSecond(),
                        transition.from().label(),
                        transition.to().label(),
                        transition.rule(),
                        transition.cause().en(),
                        transition.cause().ja(),
                        json.writeValueAsString(transition.evidence()))
                .update();
    }

    @Override
    public boolean isKept(Transition transition) {
        return jdbc.sql("""
                        select count(*) from state_transition
                        where service = ? and at_second = ? and to_state = ? and rule = ?""")
                        .params(
                                transition.service(),
                                transition.atSecond(),
                                transition.to().label(),
                                transition.rule())
                        .query(Long.class)
                        .single()
                > 0;
    }

    /**
     * Returns transitions, newest first.
     *
     * @param service absent: of all services
     * @param before upper limit (exclusive) of the ids
     */
    public List<Kept> list(
            @Nullable String service, long fromSecond, long toSecond, long before, int limit) {
        return jdbc.sql("""
                        select * from state_transition where (cast(:service as varchar) is null or service = :service)
                        and at_second >= :from and at_second <= :to and id < :before
                        order by id desc fetch first :limit rows only""")
                .param("service", service)
                .param("from", fromSecond)
                .param("to", toSecond)
                .param("before", before)
                .param("limit", limit)
                .query((row, n) -> kept(row))
                .list();
    }

    @Override
    public @Nullable Transition latest(String service) {
        return jdbc.sql(
                        "select * from state_transition where service = ? order by id desc fetch first row only")
                .param(service)
                .query((row, n) -> kept(row).transition())
                .optional()
                .orElse(null);
    }

    /**
     * Returns the last transition before a second, which gives the state at the start of a range;
     * null when there is none.
     */
    public @Nullable Transition before(String service, long second) {
        return jdbc.sql("""
                        select * from state_transition where service = ? and at_second < ?
                        order by id desc fetch first row only""")
                .params(service, second)
                .query((row, n) -> kept(row).transition())
                .optional()
                .orElse(null);
    }

    /**
     * Returns transitions of a range, oldest first, at most 10,000, for the ribbon under a chart.
     */
    public List<Transition> between(String service, long fromSecond, long toSecond) {
        return jdbc.sql("""
                        select * from state_transition where service = ? and at_second >= ? and at_second <= ?
                        order by id fetch first 10000 rows only""")
                .params(service, fromSecond, toSecond)
                .query((row, n) -> kept(row).transition())
                .list();
    }

    /**
     * Returns the seconds spent in each state in the range; time before the first transition is not
     * counted.
     */
    public Map<ServiceState, Long> secondsIn(String service, long fromSecond, long toSecond) {
        Map<ServiceState, Long> seconds = new EnumMap<>(ServiceState.class);
        Transition earlier = before(service, fromSecond);
        ServiceState state = earlier == null ? null : earlier.to();
        long since = fromSecond;
        for (Transition transition : between(service, fromSecond, toSecond)) {
            if (state != null) {
                seconds.merge(state, transition.atSecond() - since, Long::sum);
            }
            state = transition.to();
            since = transition.atSecond();
        }
        if (state != null) {
            seconds.merge(state, Math.max(0, toSecond - since), Long::sum);
        }
        return seconds;
    }

    public List<Count> counts(String service, long fromSecond) {
        return jdbc.sql("""
                        select from_state, to_state, count(*) as times, max(id) as last_id from state_transition
                        where service = ? and at_second >= ? group by from_state, to_state order by times desc""")
                .params(service, fromSecond)
                .query((row, n) -> new Count(
                        ServiceState.ofLabel(row.getString("from_state")),
                        ServiceState.ofLabel(row.getString("to_state")),
                        row.getInt("times"),
                        cause(row.getLong("last_id"))))
                .list();
    }

    @Override
    public List<Integer> restartSeconds(String service) {
        List<Transition> last = jdbc.sql("""
                        select * from state_transition where service = ? and (to_state like 'stopped/%'
                        or from_state like 'stopped/%') order by id desc fetch first 40 rows only""")
                .params(service)
                .query((row, n) -> kept(row).transition())
                .list()
                .reversed();
        List<Integer> seconds = new ArrayList<>();
        long stoppedAt = Long.MIN_VALUE;
        for (Transition transition : last) {
            if (transition.to() == ServiceState.STOPPED_RESTARTING
                    && transition.rule().equals(StateModel.ANSWERS_AGAIN)) {
                if (stoppedAt != Long.MIN_VALUE) {
                    seconds.add((int) (transition.atSecond() - stoppedAt) + NAMED_AFTER_SECONDS);
                }
                stoppedAt = Long.MIN_VALUE;
            } else if (transition.to().severity() != ServiceState.Severity.STOPPED) {
                stoppedAt = Long.MIN_VALUE;
            } else if (stoppedAt == Long.MIN_VALUE) {
                stoppedAt = transition.atSecond();
            }
        }
        return seconds;
    }

    private LocalizedText cause(long id) {
        return jdbc.sql("select cause_en, cause_ja from state_transition where id = ?")
                .param(id)
                .query((row, n) ->
                        new LocalizedText(row.getString("cause_en"), row.getString("cause_ja")))
                .single();
    }

    private Kept kept(ResultSet row) throws SQLException {
        Transition transition = new Transition(
                row.getString("service"),
                row.getLong("at_second"),
                ServiceState.ofLabel(row.getString("from_state")),
                ServiceState.ofLabel(row.getString("to_state")),
                row.getString("rule"),
                new LocalizedText(row.getString("cause_en"), row.getString("cause_ja")),
                List.of(json.readValue(row.getString("evidence"), Evidence[].class)));
        return new Kept(row.getLong("id"), transition);
    }
}
