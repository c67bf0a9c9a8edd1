/**
 * The audit log as a chain of hashes, and its check.
 *
 * <p>In: drafts of entries ({@link dev.komainu.central.audit.AuditLog}). Out: numbered rows in the
 * database, each with a hash that covers all rows before it; a report that names the first row that
 * was changed, removed or inserted ({@link dev.komainu.central.audit.ChainCheck}). Any thread. The
 * check knows no database, so that it also reads exports.
 *
 * <p>Start at {@link dev.komainu.central.audit.AuditLog}; {@code docs/audit.md} describes what the
 * chain shows and what only a head that is kept elsewhere shows.
 */
@NullMarked
package dev.komainu.central.audit;

import org.jspecify.annotations.NullMarked;
