/**
 * Writing responses to clients. In: stored heads, fills, errors. Out: bytes in the order in which a
 * client reads them. Thread: the client's event loop. Start at
 * {@link dev.komainu.proxy.deliver.ResponseHeadWriter}.
 */
@NullMarked
package dev.komainu.proxy.deliver;

import org.jspecify.annotations.NullMarked;
