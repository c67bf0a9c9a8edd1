/**
 * The agent's settings: command line over environment over file over default.
 *
 * <p>In: options, environment variables, one YAML file. Out:
 * {@link dev.komainu.agent.settings.AgentSettings}, or all mistakes. Thread: main.
 *
 * <p>Start at {@link dev.komainu.agent.settings.AgentSettings}.
 *
 * <p>Decision: docs/decisions/0091-declared-settings.md
 */
@NullMarked
package dev.komainu.agent.settings;

import org.jspecify.annotations.NullMarked;
