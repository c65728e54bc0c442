"""One thread for what torch computes here: more wait for each other while other tests run."""

import torch

torch.set_num_threads(1)
