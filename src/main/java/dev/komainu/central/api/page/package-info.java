/**
 * The common shape of lists: pages with opaque cursors, and the same rows as CSV.
 *
 * <p>Start at {@link dev.komainu.central.api.page.Page}.
 */
@NullMarked
package dev.komainu.central.api.page;

import org.jspecify.annotations.NullMarked;
