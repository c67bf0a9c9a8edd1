package dev.komainu.central.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * The memory and connection management of a proxy at present. A part is absent if the proxy is too
 * old to report it.
 *
 * @param peak absent without a disk tier
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record CacheManagement(
        @Nullable CachePools pools,
        @Nullable IdleConnections idle,
        @Nullable SocketBufferReport buffers,
        @Nullable CachePeak peak) {}
