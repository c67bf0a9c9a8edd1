/**
 * This process as its host sees it. In: /proc and the JVM. Out: memory, processor time, reloads
 * counted. Any thread. Start at {@link dev.komainu.intermediary.process.ProcessUsage}.
 */
@NullMarked
package dev.komainu.intermediary.process;

import org.jspecify.annotations.NullMarked;
