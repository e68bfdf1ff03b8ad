import com.yahoo.labs.samoa.instances.DenseInstance;
import com.yahoo.labs.samoa.instances.Instance;
import com.yahoo.labs.samoa.instances.InstancesHeader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import moa.classifiers.Classifier;

/**
 * The loop of predicting and learning around a MOA classifier, a block of examples per call.
 *
 * Rows are flat: n_features values each, NaN for missing. Labels are class indices, or targets
 * where the class attribute of the header is numeric. The compiled
 * class lies beside this file, so that no compiler is needed where it runs; after a change, in this
 * directory: javac --release 11 -g:none -cp $MOA_JAR ShrubsBlockLoop.java
 */
public final class ShrubsBlockLoop {
    private final Classifier learner;
    private final InstancesHeader header;
    private final int nFeatures;

    /** Wraps a classifier that is ready for use and knows its header; the class comes last. */
    public ShrubsBlockLoop(Classifier learner) {
        this.learner = learner;
        this.header = learner.getModelContext();
        this.nFeatures = header.numAttributes() - 1;
    }

    /** The classifier inside. */
    public Classifier learner() {
        return learner;
    }

    /**
     * Predicts every row and learns a row of `learned` after each; null: the row just predicted.
     *
     * Where `learned` is shorter, the first rows are only predicted. For n rows, the result holds n
     * predicted classes or targets, n probabilities of the true class (NaN for targets), and the
     * seconds that predicting and learning took.
     */
    public double[] interleave(
            float[] rows, double[] labels, float[] learnedRows, double[] learnedLabels) {
        int n = labels.length;
        int first = learnedLabels == null ? 0 : n - learnedLabels.length;
        boolean regression = header.classAttribute().isNumeric();
        double[] result = new double[2 * n + 2];
        long predicting = 0;
        long learning = 0;
        for (int i = 0; i < n; i++) {
            Instance tested = example(rows, i, labels[i]);
            Instance learned = tested;
            if (learnedLabels != null && i >= first) {
                learned = example(learnedRows, i - first, learnedLabels[i - first]);
            }
            long start = System.nanoTime();
            double[] votes = learner.getVotesForInstance(tested);
            long middle = System.nanoTime();
            // Before learning: some classifiers hand out an array that they go on to change.
            if (regression) {
                result[i] = votes.length > 0 ? votes[0] : 0;
                result[n + i] = Double.NaN;
            } else {
                result[i] = indexOfMost(votes);
                result[n + i] = probabilities(votes)[(int) labels[i]];
            }
            predicting += middle - start;
            if (i >= first) {
                start = System.nanoTime();
                learner.trainOnInstance(learned);
                learning += System.nanoTime() - start;
            }
        }
        result[2 * n] = 1e-9 * predicting;
        result[2 * n + 1] = 1e-9 * learning;
        return result;
    }

    /** The probabilities of all classes for every row, one row after the other. */
    public double[] predictProbabilities(float[] rows) {
        int n = rows.length / nFeatures;
        int nClasses = header.numClasses();
        double[] result = new double[n * nClasses];
        for (int i = 0; i < n; i++) {
            double[] votes = learner.getVotesForInstance(example(rows, i, Double.NaN));
            System.arraycopy(probabilities(votes), 0, result, i * nClasses, nClasses);
        }
        return result;
    }

    /** The classifier with all it has learned, as bytes of Java's serialization. */
    public byte[] save() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ObjectOutputStream out = new ObjectOutputStream(bytes);
        out.writeObject(learner);
        out.close();
        return bytes.toByteArray();
    }

    /** The loop around a saved classifier. */
    public static ShrubsBlockLoop restore(byte[] saved) throws IOException, ClassNotFoundException {
        ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(saved));
        return new ShrubsBlockLoop((Classifier) in.readObject());
    }

    private Instance example(float[] rows, int row, double label) {
        double[] values = new double[nFeatures + 1];
        for (int j = 0; j < nFeatures; j++) {
            values[j] = rows[row * nFeatures + j];
        }
        values[nFeatures] = label;
        Instance example = new DenseInstance(1.0, values);
        example.setDataset(header);
        return example;
    }

    /** The first of the largest votes, 0 without votes: as MOA's evaluators choose. */
    private static int indexOfMost(double[] votes) {
        int best = 0;
        for (int i = 1; i < votes.length; i++) {
            if (votes[i] > votes[best]) {
                best = i;
            }
        }
        return best;
    }

    /** Votes divided by their sum; uniform where they have none. A negative vote counts as none. */
    private double[] probabilities(double[] votes) {
        double[] result = new double[header.numClasses()];
        int n = Math.min(votes.length, result.length);
        double sum = 0;
        for (int i = 0; i < n; i++) {
            result[i] = Math.max(votes[i], 0);
            sum += result[i];
        }
        boolean uniform = !(sum > 0) || Double.isInfinite(sum);
        for (int i = 0; i < result.length; i++) {
            result[i] = uniform ? 1.0 / result.length : result[i] / sum;
        }
        return result;
    }
}
