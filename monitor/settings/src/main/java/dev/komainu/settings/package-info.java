/**
 * The settings of all parts: how one is declared, where it may stand, what its text means. In:
 * declarations beside what they tune; options, variables of the environment, a YAML file as an
 * administrator wrote it. Out: values, or all mistakes with place and expectation; what is in force
 * and where it comes from. One thread, but for declarations and the grammar. Start at
 * {@link dev.komainu.settings.Setting}, then {@link dev.komainu.settings.SettingReader}.
 *
 * <p>Decision: docs/decisions/0091-declared-settings.md
 */
@NullMarked
package dev.komainu.settings;

import org.jspecify.annotations.NullMarked;
