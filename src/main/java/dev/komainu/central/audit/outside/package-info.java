/**
 * The copies of the audit log outside the service, by which a cut at its end is found.
 *
 * <p>In: the rows of the log, in order, read from the database after they were committed. Out: each
 * row with its number, hash and signature to a syslog server and a webhook
 * ({@link dev.komainu.central.audit.outside.AuditFeed}, one virtual thread each); signed heads to
 * the head file, and the check of the whole log
 * ({@link dev.komainu.central.audit.outside.AuditKeeper}, one thread).
 *
 * <p>The table of rows is the queue: what waits costs no memory and survives a restart.
 *
 * <p>Start at {@link dev.komainu.central.audit.outside.AuditKeeper}.
 */
@NullMarked
package dev.komainu.central.audit.outside;

import org.jspecify.annotations.NullMarked;
