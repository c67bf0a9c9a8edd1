/**
 * The database of control data: users, tokens, alerts, orders, audit and all else that is not
 * telemetry. It is H2 in a file of the data directory, or PostgreSQL.
 *
 * <p>In: {@code komainu.control.*}. Out: properties of Spring's connection pool, a schema that was
 * checked and migrated, statements that both databases understand. Thread: the caller's; the schema
 * is migrated by the thread that starts the service.
 *
 * <p>The stores of other packages write one text of SQL for both databases.
 * {@link dev.komainu.central.control.Upsert} builds the one statement that is too long to write
 * twice.
 *
 * <p>Decision: docs/decisions/0118-control-data-on-postgresql.md
 */
@NullMarked
package dev.komainu.central.control;

import org.jspecify.annotations.NullMarked;
