package dev.komainu.central.api.service;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * {@code SharedToken} of the contract: the sources that still report with the token that all parts
 * of an earlier version share.
 *
 * @param until end of that token; absent: it has ended
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
record SharedTokenView(int sources, @Nullable Instant until) {}
