"""KubeflowExecutor settings of NeMo-Run to the TrainJob and its companions that reach a cluster.

settings -> task, workdir -> manifest -> releases; `submission` runs the stages in this order.
"""
