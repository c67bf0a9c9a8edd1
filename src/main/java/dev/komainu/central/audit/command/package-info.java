/**
 * The command {@code ./komainu audit verify}: checks the audit log from outside the service.
 *
 * <p>In: an export, the export of a running service, or the database of a stopped one; heads from a
 * file or the command line. Out: text, and an exit code. One thread.
 *
 * <p>Start at {@link dev.komainu.central.audit.command.AuditCommand}.
 */
@NullMarked
package dev.komainu.central.audit.command;

import org.jspecify.annotations.NullMarked;
