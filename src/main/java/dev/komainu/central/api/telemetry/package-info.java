/**
 * The routes of stored telemetry as a whole, for administrators: which days are stored, the export
 * of closed days, and the state of the server that keeps it.
 *
 * <p>In: HTTP requests. Out: JSON of {@code docs/api/openapi.yaml}, and Parquet files. Request
 * threads. Start at {@code DaysController}.
 */
@NullMarked
package dev.komainu.central.api.telemetry;

import org.jspecify.annotations.NullMarked;
