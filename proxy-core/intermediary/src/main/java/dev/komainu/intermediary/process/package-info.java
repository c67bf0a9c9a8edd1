/**
 * The process as seen by its host. In: /proc and the JVM. Out: memory, processor time, counts of
 * reloads. Any thread. Start at {@link dev.komainu.intermediary.process.ProcessUsage}.
 */
@NullMarked
package dev.komainu.intermediary.process;

import org.jspecify.annotations.NullMarked;
