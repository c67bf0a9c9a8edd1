/**
 * The routes of stored telemetry as a whole, for administrators: which days are stored, and the
 * export of closed days.
 *
 * <p>In: HTTP requests. Out: JSON of {@code docs/api/openapi.yaml}, and Parquet files. Request
 * threads. Start at {@code DaysController}.
 */
@NullMarked
package dev.komainu.central.api.telemetry;

import org.jspecify.annotations.NullMarked;
