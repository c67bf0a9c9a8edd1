/**
 * The pages that a service is known to have, so that a lost page is told from a wrong address.
 * Packets and access logs use it; it uses nothing of the agent.
 *
 * <p>Start at {@link dev.komainu.agent.pages.KnownPages}.
 */
@NullMarked
package dev.komainu.agent.pages;

import org.jspecify.annotations.NullMarked;
