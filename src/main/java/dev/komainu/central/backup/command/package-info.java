/**
 * The commands {@code ./komainu backup --verify} and {@code ./komainu restore}, which need no
 * running service.
 *
 * <p>In: a backup's directory. Out: text, and an exit code. One thread.
 *
 * <p>Start at {@link dev.komainu.central.backup.command.BackupCommand}.
 */
@NullMarked
package dev.komainu.central.backup.command;

import org.jspecify.annotations.NullMarked;
