package dev.komainu.telemetry.report;

import dev.komainu.telemetry.record.Endpoint;
import dev.komainu.telemetry.record.ProxyExchange;
import dev.komainu.telemetry.record.ProxyExchange.CacheOutcome;

/** Exchanges that differ by their number only. */
final class NumberedExchange {

    private NumberedExchange() {}

    static ProxyExchange record(int number) {
        return new ProxyExchange(
                "proxy",
                number,
                Endpoint.parse("127.0.0.1:1"),
                "GET",
                "/" + number,
                200,
                CacheOutcome.HIT,
                null,
                1,
                2,
                null,
                3,
                4);
    }
}
