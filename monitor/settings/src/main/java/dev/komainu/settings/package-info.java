/**
 * The one grammar of settings. In: a text as an administrator wrote it. Out: a value, or an {@code IllegalArgumentException} that tells the
 * text and what was expected. Any thread; pure. Start at {@link dev.komainu.settings.SettingText}.
 */
@NullMarked
package dev.komainu.settings;

import org.jspecify.annotations.NullMarked;
