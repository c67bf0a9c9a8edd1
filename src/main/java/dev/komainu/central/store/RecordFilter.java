package dev.komainu.central.store;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A WHERE clause over the tables of records, whose columns have the same names in every store. An
 * absent value does not filter. Not thread-safe.
 *
 * @param <F> the clause itself
 */
abstract class RecordFilter<F extends RecordFilter<F>> {

    abstract F equal(String column, @Nullable String text);

    abstract F equal(String column, long value);

    abstract F atLeast(String column, @Nullable Long value);

    /**
     * Adds an upper limit.
     *
     * @param expression SQL expression of columns
     */
    abstract F atMost(String expression, long value);

    abstract F contains(String column, @Nullable String text);

    abstract F within(String column, TimeRange range);

    /** Adds a choice; no texts: any. */
    abstract F anyOf(String column, List<String> texts);

    /** Adds the conditions of a query for connections, without its position. */
    F matching(ConnectionQuery query) {
        F filter = anyOf("service", query.services())
                .within("instant", query.range())
                .equal("client", query.client())
                .atLeast("duration", query.minDurationMicros())
                .atLeast("response", query.minResponseMicros())
                .contains("targets", query.target());
        return query.state() == null
                ? filter
                : filter.equal("state", query.state().ordinal());
    }

    /** Adds the conditions of a query for exchanges, without its position. */
    F matching(ExchangeQuery query) {
        F filter = anyOf("service", query.services())
                .within("instant", query.range())
                .equal("client", query.client())
                .atLeast("response", query.minResponseMicros())
                .contains("target", query.target());
        return query.outcome() == null
                ? filter
                : filter.equal("outcome", query.outcome().ordinal());
    }

    F matching(ConnectionRows.Candidates of) {
        F filter = anyOf("service", of.services())
                .within("instant", of.range())
                .anyOf("client", of.clients());
        return of.startAtMost() == Long.MAX_VALUE
                ? filter
                : filter.atMost("instant - duration", of.startAtMost());
    }

    F at(RecordPosition position) {
        return equal("instant", position.atMicros()).equal("key", position.key());
    }

    /** Adds the conditions of facts; no subject: any. */
    F facts(int kind, @Nullable String subject, TimeRange range) {
        return equal("kind", kind).equal("subject", subject).within("instant", range);
    }

    /** Adds the conditions of windows. */
    F windows(int kind, List<String> services, TimeRange range) {
        return equal("kind", kind).anyOf("service", services).within("instant", range);
    }
}
