package dev.komainu.central.capacity;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The computation of a model from load points. Pure: the same points give the same model.
 *
 * <p>Each resource gets its utilisation law (a line over the steps of load), T_r gets the curve
 * that fits better: the queue before the resource that is exhausted first, or the Universal
 * Scalability Law. Intervals are computed by a moving-block bootstrap: blocks of neighbouring
 * points are drawn with replacement and all fits are repeated. So an effect that lasts for minutes
 * (a noisy neighbour, a cold cache) widens the interval correctly.
 */
public final class CapacityModeller {

    /** Fewest minutes of traffic for a model. */
    static final double LEAST_MINUTES = 5;

    /**
     * Smallest ratio of the heaviest to the lightest load; below it a slope cannot be distinguished
     * from random variation.
     */
    static final double LEAST_SPAN = 1.5;

    /**
     * Smallest rise of a resource's use over all observed loads; a resource that rises by less does
     * not depend on the load.
     */
    private static final double LEAST_RISE = 0.02;

    /**
     * The queue curve includes the limiting rate. So the Universal Scalability Law replaces it only
     * when the queue's residual is above this value and the law's residual is below a share of it.
     */
    private static final double QUEUE_RESIDUAL = 0.05;

    private static final double LAW_SHARE = 0.6;

    private static final int FEWEST_FITS = 50;
    private static final int MOST_FITS = 100;
    private static final int POINTS_FITTED = 400_000;
    private static final long SEED = 20010202;

    private final double extrapolate;
    private final int mostFits;

    /**
     * Creates a modeller.
     *
     * @param extrapolate highest inferred rate, as a multiple of the heaviest observed load
     */
    public CapacityModeller(double extrapolate) {
        this(extrapolate, MOST_FITS);
    }

    /**
     * Creates a modeller for tests.
     *
     * @param mostFits largest number of resampled fits
     */
    CapacityModeller(double extrapolate, int mostFits) {
        this.extrapolate = extrapolate;
        this.mostFits = mostFits;
    }

    /**
     * Returns the model of a service.
     *
     * @param all points of the window, in order of time
     * @param underLoss number of points that were excluded already
     */
    public CapacityModel model(
            String service,
            long fromSecond,
            long toSecond,
            List<LoadPoint> all,
            int underLoss,
            ServerFacts facts) {
        List<LoadPoint> points = all.stream()
                .filter(point -> point.arrival() > 0 && point.processed() > 0)
                .toList();
        List<LoadStep> steps = LoadStep.of(points);
        List<MissingInput> missing = missing(points, steps);
        LittlesLaw little = LittlesLaw.of(points);
        double highest = steps.isEmpty() ? 0 : steps.getLast().rate();
        double ceiling = highest * extrapolate;
        boolean enough = missing.stream().allMatch(each -> each.what().equals("host"));
        if (!enough) {
            return new CapacityModel(
                    service,
                    fromSecond,
                    toSecond,
                    points.size(),
                    underLoss,
                    steps,
                    facts,
                    Set.of(),
                    null,
                    List.of(),
                    null,
                    Double.NaN,
                    little,
                    ceiling,
                    missing);
        }
        List<List<LoadStep>> resampled = resampled(points);
        Map<Resource, UtilizationLine> lines = lines(steps);
        List<Map<Resource, UtilizationLine>> otherLines =
                resampled.stream().map(CapacityModeller::lines).toList();
        Set<Resource> bounding = bounding(lines, otherLines, steps);
        Resource queuedFor = queuedFor(lines, bounding);
        UslCurve usl = UslCurve.through(steps);
        QueueCurve queue = queue(steps, lines, queuedFor, facts);
        boolean byQueue = queue != null
                && (usl == null
                        || residual(queue, steps) <= QUEUE_RESIDUAL
                        || LAW_SHARE * residual(queue, steps) <= residual(usl, steps));
        ResponseCurve curve = byQueue ? queue : usl;
        List<CapacityFit> fits = new ArrayList<>();
        for (int i = 0; i < resampled.size(); i++) {
            List<LoadStep> sample = resampled.get(i);
            fits.add(new CapacityFit(
                    otherLines.get(i),
                    cpuSeconds(sample),
                    byQueue
                            ? queue(sample, otherLines.get(i), queuedFor, facts)
                            : UslCurve.through(sample)));
        }
        CapacityFit fit = new CapacityFit(lines, cpuSeconds(steps), curve);
        if (bounding.isEmpty()
                && (curve == null || curve.rateAt(1.5 * curve.atRest(), ceiling) >= ceiling)) {
            missing.add(new MissingInput("growth", 0, 1));
        }
        return new CapacityModel(
                service,
                fromSecond,
                toSecond,
                points.size(),
                underLoss,
                steps,
                facts,
                bounding,
                fit,
                fits,
                usl,
                curve == null ? Double.NaN : residual(curve, steps),
                little,
                ceiling,
                missing);
    }

    private static List<MissingInput> missing(List<LoadPoint> points, List<LoadStep> steps) {
        List<MissingInput> missing = new ArrayList<>();
        if (points.isEmpty()) {
            missing.add(new MissingInput("traffic", 0, 1));
            return missing;
        }
        double minutes = points.size() * LoadPoint.SECONDS / 60.0;
        if (minutes < LEAST_MINUTES) {
            missing.add(new MissingInput("minutes", minutes, LEAST_MINUTES));
        }
        double span =
                steps.isEmpty() ? 1 : steps.getLast().rate() / steps.getFirst().rate();
        if (!(span >= LEAST_SPAN) || steps.size() < UtilizationLine.FEWEST_STEPS) {
            missing.add(new MissingInput("span", span, LEAST_SPAN));
        }
        long sampled = points.stream()
                .filter(point -> Double.isFinite(point.use(Resource.CPU)))
                .count();
        if (sampled * 2 < points.size()) {
            missing.add(new MissingInput("host", sampled, Math.ceil(points.size() / 2.0)));
        }
        return missing;
    }

    private static Map<Resource, UtilizationLine> lines(List<LoadStep> steps) {
        Map<Resource, UtilizationLine> lines = new EnumMap<>(Resource.class);
        for (Resource resource : Resource.values()) {
            // A control group's CPU time is the server's own: without requests it is zero.
            UtilizationLine line = UtilizationLine.through(
                    steps, step -> step.use(resource), resource == Resource.CPU_QUOTA);
            if (line != null) {
                lines.put(resource, line);
            }
        }
        return lines;
    }

    private static double cpuSeconds(List<LoadStep> steps) {
        UtilizationLine line = UtilizationLine.through(steps, LoadStep::cpuCores, true);
        return line == null ? 0 : line.slope();
    }

    private static Set<Resource> bounding(
            Map<Resource, UtilizationLine> lines,
            List<Map<Resource, UtilizationLine>> others,
            List<LoadStep> steps) {
        double range = steps.getLast().rate() - steps.getFirst().rate();
        Set<Resource> bounding = EnumSet.noneOf(Resource.class);
        lines.forEach((resource, line) -> {
            double[] slopes = others.stream()
                    .map(each -> each.get(resource))
                    .filter(Objects::nonNull)
                    .mapToDouble(UtilizationLine::slope)
                    .toArray();
            if (line.slope() * range >= LEAST_RISE && LoadStep.quantile(slopes, 0.025) > 0) {
                bounding.add(resource);
            }
        });
        return bounding;
    }

    /** Returns the first exhausted resource among those that requests queue for. */
    private static @Nullable Resource queuedFor(
            Map<Resource, UtilizationLine> lines, Set<Resource> bounding) {
        Resource first = null;
        double least = Double.POSITIVE_INFINITY;
        for (Resource resource : List.of(Resource.CPU, Resource.CPU_QUOTA, Resource.DISK)) {
            UtilizationLine line = lines.get(resource);
            if (line != null && bounding.contains(resource) && line.rateAt(1) < least) {
                least = line.rateAt(1);
                first = resource;
            }
        }
        return first;
    }

    private static @Nullable QueueCurve queue(
            List<LoadStep> steps,
            Map<Resource, UtilizationLine> lines,
            @Nullable Resource queuedFor,
            ServerFacts facts) {
        UtilizationLine line = queuedFor == null ? null : lines.get(queuedFor);
        return line == null || queuedFor == null || !(line.slope() > 0)
                ? null
                : QueueCurve.through(steps, queuedFor, line, facts.servers(queuedFor));
    }

    /** Returns the residual over the steps below the limiting rate. */
    private static double residual(ResponseCurve curve, List<LoadStep> steps) {
        double sum = 0;
        double weights = 0;
        for (LoadStep step : steps) {
            double predicted = curve.seconds(step.rate());
            if (step.responseSeconds() > 0 && Double.isFinite(predicted)) {
                double error = predicted / step.responseSeconds() - 1;
                sum += UtilizationLine.weight(step) * error * error;
                weights += UtilizationLine.weight(step);
            }
        }
        return weights > 0 ? Math.sqrt(sum / weights) : Double.POSITIVE_INFINITY;
    }

    private List<List<LoadStep>> resampled(List<LoadPoint> points) {
        int size = points.size();
        int block = (int) Math.clamp(Math.round(Math.cbrt(size)), 2, 12);
        int fits = Math.min(mostFits, Math.max(FEWEST_FITS, POINTS_FITTED / size));
        SplittableRandom random = new SplittableRandom(SEED);
        List<List<LoadStep>> resampled = new ArrayList<>();
        for (int fit = 0; fit < fits; fit++) {
            List<LoadPoint> drawn = new ArrayList<>(size + block);
            while (drawn.size() < size) {
                int from = random.nextInt(size - block + 1);
                drawn.addAll(points.subList(from, from + block));
            }
            List<LoadStep> steps = LoadStep.of(drawn);
            // A resample of a single load does not determine a slope.
            if (steps.size() >= UtilizationLine.FEWEST_STEPS
                    && steps.getLast().rate() >= LEAST_SPAN * steps.getFirst().rate()) {
                resampled.add(steps);
            }
        }
        return resampled;
    }
}
