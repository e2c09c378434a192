import com.xxl.job.core.context.XxlJobHelper;
import com.xxl.job.core.executor.impl.XxlJobSimpleExecutor;
import com.xxl.job.core.handler.annotation.XxlJob;
import java.util.ArrayList;
import java.util.List;

/** An executor without a framework. It ends when its standard input does. */
public class Sample {
    public static class Jobs {
        @XxlJob("greet")
        public void greet() {
            XxlJobHelper.log("hello {}", XxlJobHelper.getJobParam());
            XxlJobHelper.handleSuccess("did " + XxlJobHelper.getJobParam() + " "
                    + XxlJobHelper.getShardIndex() + "/" + XxlJobHelper.getShardTotal());
        }

        @XxlJob("fail")
        public void fail() throws Exception {
            throw new Exception("as asked");
        }

        @XxlJob("sleep")
        public void sleep() throws Exception {
            Thread.sleep(60_000);
        }
    }

    public static void main(String[] args) throws Exception {
        XxlJobSimpleExecutor executor = new XxlJobSimpleExecutor();
        executor.setAdminAddresses(args[0]);
        executor.setAccessToken(args[1]);
        executor.setAppname(args[2]);
        executor.setIp("127.0.0.1");
        executor.setPort(Integer.parseInt(args[3]));
        if (args.length > 5) {
            executor.setAddress(args[5]); // where others reach that port
        }
        executor.setLogPath(args[4]);
        executor.setLogRetentionDays(3);
        executor.setXxlJobBeanList(new ArrayList<Object>(List.of(new Jobs())));
        executor.start();
        System.in.read();
        executor.destroy();
        System.exit(0);
    }
}
