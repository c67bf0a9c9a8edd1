package dev.komainu.central.capacity;

import java.util.EnumMap;
import java.util.Map;

/**
 * The server as it is, or as it would be.
 *
 * @param factors how many times as much of a resource; absent: as much as now. For the CPU: how
 *     many times as fast
 * @param responseRatio T_r may rise to so many times the time at rest now
 */
public record ServerModel(Map<Resource, Double> factors, double responseRatio) {

    public ServerModel {
        factors = Map.copyOf(factors);
    }

    /** As it is. */
    public static ServerModel now(double responseRatio) {
        return new ServerModel(Map.of(), responseRatio);
    }

    double factor(Resource resource) {
        return factors.getOrDefault(resource, 1.0);
    }

    /** Of a faster CPU its quota is as much faster. */
    double cpuFactor() {
        return factor(Resource.CPU);
    }

    /** With this much more of one resource. */
    ServerModel with(Resource resource, double factor) {
        Map<Resource, Double> other = new EnumMap<>(Resource.class);
        other.putAll(factors);
        other.put(resource, factor);
        return new ServerModel(other, responseRatio);
    }

    double most() {
        return factors.values().stream().mapToDouble(Double::doubleValue).reduce(1, Math::max);
    }
}
