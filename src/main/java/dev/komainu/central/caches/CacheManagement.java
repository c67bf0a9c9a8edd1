package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * How a proxy manages memory and connections now. A part is absent from a proxy that is too old to
 * tell it.
 *
 * @param peak absent without a disk tier
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record CacheManagement(
        @Nullable CachePools pools,
        @Nullable IdleConnections idle,
        @Nullable SocketBufferReport buffers,
        @Nullable CachePeak peak) {}
