package dev.komainu.central.capacity;

import java.util.Arrays;

/**
 * A least-squares fit of few non-negative coefficients, made robust by Huber's weights.
 *
 * <p>The best coefficients of such a fit are an ordinary fit over some of the columns (the others
 * are zero), so with at most three columns all seven choices are tried. The result is exact, needs
 * no start value and always converges. Pure.
 */
final class RobustFit {

    /**
     * Number of standard deviations above which a residual gets less weight (Huber 1964: 95 %
     * efficiency on clean data).
     */
    private static final double HUBER = 1.345;

    private static final double MAD_TO_SIGMA = 1.4826;
    private static final int ROUNDS = 12;

    private RobustFit() {}

    /**
     * Returns the fitted coefficients.
     *
     * @param rows one row for each observation, all of the same one to three columns
     * @param values one value for each row
     * @param weights one weight for each row, above 0
     * @return the coefficients, each 0 or more; all 0 without a fit
     */
    static double[] fit(double[][] rows, double[] values, double[] weights) {
        double[] now = weights.clone();
        double[] solution = leastSquares(rows, values, now);
        for (int round = 0; round < ROUNDS; round++) {
            double[] away = new double[values.length];
            for (int i = 0; i < values.length; i++) {
                away[i] = Math.abs(values[i] - at(solution, rows[i])) * Math.sqrt(weights[i]);
            }
            double sigma = LoadStep.median(away) * MAD_TO_SIGMA;
            if (!(sigma > 0)) {
                return solution;
            }
            for (int i = 0; i < values.length; i++) {
                now[i] = weights[i] * Math.min(1, HUBER * sigma / Math.max(away[i], 1e-300));
            }
            double[] next = leastSquares(rows, values, now);
            if (Arrays.equals(next, solution)) {
                return solution;
            }
            solution = next;
        }
        return solution;
    }

    static double at(double[] coefficients, double[] row) {
        double sum = 0;
        for (int i = 0; i < row.length; i++) {
            sum += coefficients[i] * row[i];
        }
        return sum;
    }

    private static double[] leastSquares(double[][] rows, double[] values, double[] weights) {
        int columns = rows.length == 0 ? 0 : rows[0].length;
        double[] best = new double[columns];
        double least = error(best, rows, values, weights);
        for (int chosen = 1; chosen < 1 << columns; chosen++) {
            double[] tried = over(chosen, columns, rows, values, weights);
            if (tried.length == columns && Arrays.stream(tried).allMatch(each -> each >= 0)) {
                double error = error(tried, rows, values, weights);
                if (error < least) {
                    least = error;
                    best = tried;
                }
            }
        }
        return best;
    }

    private static double error(
            double[] coefficients, double[][] rows, double[] values, double[] weights) {
        double sum = 0;
        for (int i = 0; i < values.length; i++) {
            double away = values[i] - at(coefficients, rows[i]);
            sum += weights[i] * away * away;
        }
        return sum;
    }

    /**
     * Returns the ordinary fit over the columns whose bit is set, by the normal equations; an empty
     * array when they are singular.
     */
    private static double[] over(
            int chosen, int columns, double[][] rows, double[] values, double[] weights) {
        int[] which = new int[Integer.bitCount(chosen)];
        for (int column = 0, next = 0; column < columns; column++) {
            if ((chosen >> column & 1) == 1) {
                which[next++] = column;
            }
        }
        int n = which.length;
        // Columns are scaled to the same length first: 1 and N² of one table differ by orders of
        // magnitude.
        double[] scale = new double[n];
        for (int a = 0; a < n; a++) {
            for (int i = 0; i < values.length; i++) {
                scale[a] += weights[i] * rows[i][which[a]] * rows[i][which[a]];
            }
            scale[a] = Math.sqrt(scale[a]);
            if (!(scale[a] > 0)) {
                return new double[0];
            }
        }
        double[][] m = new double[n][n + 1];
        for (int i = 0; i < values.length; i++) {
            for (int a = 0; a < n; a++) {
                double left = weights[i] * rows[i][which[a]] / scale[a];
                for (int b = 0; b < n; b++) {
                    m[a][b] += left * rows[i][which[b]] / scale[b];
                }
                m[a][n] += left * values[i];
            }
        }
        if (!eliminated(m)) {
            return new double[0];
        }
        double[] solution = new double[columns];
        for (int a = 0; a < n; a++) {
            solution[which[a]] = m[a][n] / m[a][a] / scale[a];
        }
        return solution;
    }

    /**
     * Eliminates by Gauss and Jordan with the largest pivot; returns false when two columns are
     * almost dependent.
     */
    private static boolean eliminated(double[][] m) {
        int n = m.length;
        for (int k = 0; k < n; k++) {
            int largest = k;
            for (int r = k + 1; r < n; r++) {
                if (Math.abs(m[r][k]) > Math.abs(m[largest][k])) {
                    largest = r;
                }
            }
            double[] row = m[largest];
            m[largest] = m[k];
            m[k] = row;
            if (Math.abs(row[k]) < 1e-10) {
                return false;
            }
            for (int r = 0; r < n; r++) {
                double factor = r == k ? 0 : m[r][k] / row[k];
                for (int c = k; c <= n && factor != 0; c++) {
                    m[r][c] -= factor * row[c];
                }
            }
        }
        return true;
    }
}
