package dev.komainu.central.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.telemetry.record.ConnectionState;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;
import org.junit.jupiter.api.Test;

/**
 * The store keeps positions of constants: rows of earlier versions are read with the same order.
 */
class StoredPositionsTest {

    @Test
    void connectionStates_keepTheirPositions() {
        assertThat(ConnectionState.values())
                .startsWith(
                        ConnectionState.NORMAL,
                        ConnectionState.RST_CLIENT,
                        ConnectionState.RST_SERVER,
                        ConnectionState.REFUSED,
                        ConnectionState.NO_ANSWER,
                        ConnectionState.HALF_OPEN,
                        ConnectionState.HALF_CLOSED,
                        ConnectionState.OPEN,
                        ConnectionState.MIDSTREAM);
    }

    @Test
    void cacheOutcomes_keepTheirPositions() {
        assertThat(CacheOutcome.values())
                .startsWith(
                        CacheOutcome.HIT,
                        CacheOutcome.STALE,
                        CacheOutcome.REVALIDATED,
                        CacheOutcome.COLLAPSED,
                        CacheOutcome.MISS,
                        CacheOutcome.PASS,
                        CacheOutcome.TUNNEL,
                        CacheOutcome.ERROR);
    }
}
