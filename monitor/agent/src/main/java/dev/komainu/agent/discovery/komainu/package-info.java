/**
 * Komainu's own proxy: its settings from command line, environment and file.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.komainu.KomainuReader}. Thread: discovery's.
 */
@NullMarked
package dev.komainu.agent.discovery.komainu;

import org.jspecify.annotations.NullMarked;
