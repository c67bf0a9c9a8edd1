/**
 * The program behind a listening socket: its process, its kind, its version, its output.
 *
 * <p>In: {@code /proc/PID}. Out: {@link dev.komainu.agent.discovery.program.ServerProcess} and its
 * kind and version. Thread: discovery's. Start at
 * {@link dev.komainu.agent.discovery.program.ServerProcess}.
 */
@NullMarked
package dev.komainu.agent.discovery.program;

import org.jspecify.annotations.NullMarked;
